import { Failure } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { failureOfErrno } from '../../src/resolve/errno.js'

const thrown = (code: unknown) => Object.assign(new Error(String(code)), { code })

describe('an error of the file system', () => {
  it.each<[string, Failure.OfStorage]>([
    ['ENOENT', Failure.fileNotFound],
    ['ENAMETOOLONG', Failure.fileNotFound],
    ['ELOOP', Failure.fileNotFound],
    ['ENOTDIR', Failure.typeMismatch],
  ])('with %s says something about the path', (code, failure) => {
    expect(failureOfErrno(thrown(code))).toEqual(failure)
  })

  it.each<unknown>([thrown('EACCES'), thrown('EIO'), thrown(5), new Error('no code'), 'text', { code: 'ENOENT' }])(
    'is `external` otherwise, with its cause: %s',
    (cause) => {
      expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
    },
  )
})
