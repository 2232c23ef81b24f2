import { Failure } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { failureOfErrno } from '../src/failureOfErrno.js'

const thrown = (code: string) => Object.assign(new Error(code), { code })

describe('failureOfErrno', () => {
  it.each(['ENOENT', 'ENAMETOOLONG', 'ELOOP'])('%s is `file not found`', (code) => {
    expect(failureOfErrno(thrown(code))).toEqual(Failure.fileNotFound)
  })

  it('ENOTDIR is `type mismatch`', () => {
    expect(failureOfErrno(thrown('ENOTDIR'))).toEqual(Failure.typeMismatch)
  })

  it.each(['EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ESTALE', 'ETIMEDOUT', 'ENOTCONN'])(
    '%s is `external`, with its cause',
    (code) => {
      const cause = thrown(code)
      expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
    },
  )

  it.each([new Error('no code'), 'text', undefined, { code: 'ENOENT' }])(
    'what is no error of the file system is `external`: %s',
    (cause) => {
      expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
    },
  )
})
