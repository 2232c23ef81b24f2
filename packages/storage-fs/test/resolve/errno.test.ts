import { Failure } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { errnoOf, failureOfErrno, hintOn, withHint } from '../../src/resolve/errno.js'

const thrown = (code: unknown) => Object.assign(new Error(String(code)), { code })

describe('an error of the file system', () => {
  it.each<[string, Failure.OfStorage]>([
    ['ENOENT', Failure.fileNotFound],
    ['ENAMETOOLONG', Failure.fileNotFound],
    ['ELOOP', Failure.fileNotFound],
  ])('with %s says something about the path', (code, failure) => {
    expect(failureOfErrno(thrown(code))).toEqual(failure)
  })

  it.each<unknown>([
    thrown('EACCES'),
    thrown('ENOTDIR'),
    thrown('EIO'),
    thrown(5),
    new Error('no code'),
    'text',
    { code: 'ENOENT' },
  ])('is `external` otherwise, with its cause: %s', (cause) => {
    expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
  })

  it('gets a hint once, and keeps its errno; other errors stay as they are', () => {
    const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    const failing = `EIO: i/o error, read. T${hintOn('EIO')?.slice(1)}`
    expect(withHint(eio)).toMatchObject({ code: 'EIO', message: failing, cause: eio })
    expect(withHint(withHint(eio))).toEqual(withHint(eio))
    // As Node names errors that libuv does not know.
    const code = 'Unknown system error -116'
    const estale = Object.assign(new Error(`${code}, lstat 'x'`), { code, errno: -116 })
    const stale = `${code}, lstat 'x'. T${hintOn('ESTALE')?.slice(1)}`
    expect(withHint(estale)).toMatchObject({ code: 'ESTALE', message: stale })
    for (const cause of ['text', new Error('x'), thrown('EODD')]) expect(withHint(cause)).toBe(cause)
  })

  it('has a name only if it has an errno', () => {
    const unnamed = [thrown('Unknown system error'), thrown(5), new Error('x'), { code: 'ENOENT' }, 'text', null]
    expect(unnamed.map(errnoOf)).toEqual(unnamed.map(() => ''))
  })

  it('that an operator can repair has a hint', () => {
    const full = ['EDQUOT', 'ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']
    const denied = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']
    const failing = ['EIO', 'EHOSTDOWN', 'ETIMEDOUT', 'ENOTCONN', 'ESTALE']
    expect([...full, ...denied, ...failing].filter((code) => !hintOn(code)?.includes(' '))).toEqual([])
  })
})
