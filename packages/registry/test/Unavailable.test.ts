import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { driverReason, errorWithHint } from '../src/Unavailable.js'

const shown = (cause: unknown): string => driverReason(errorWithHint(cause))

const ofSqlite = (errcode: number | undefined, message: string) =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', ...(errcode === undefined ? {} : { errcode }) })
/** Where SQLite says only that something went wrong. */
const vague = (errcode: number, systemErrno: number) => Object.assign(ofSqlite(errcode, 'vague'), { systemErrno })
const { EIO, EMFILE, ENFILE, ENOSPC, ESTALE, EACCES } = constants.errno
const coded = (code: string, message: string) => Object.assign(new Error(message), { code })

describe('what a driver says of its failure', () => {
  it.each([
    [ofSqlite(5, 'database is locked'), 'Another process holds it'],
    [ofSqlite(261, 'database is locked'), 'Another process holds it'],
    [ofSqlite(11, 'database disk image is malformed'), 'restore the copy of your last backup'],
    [ofSqlite(undefined, 'database disk image is malformed'), 'restore the copy of your last backup'],
    [ofSqlite(26, 'file is not a database'), 'restore the copy of your last backup'],
    [ofSqlite(8, 'attempt to write a readonly database'), 'Run this as the user who owns the registry'],
    [ofSqlite(14, 'unable to open database file'), 'Run this as the user who owns the registry'],
    [ofSqlite(13, 'database or disk is full'), 'make room'],
    [ofSqlite(10, 'disk I/O error'), 'The disk fails'],
    [ofSqlite(undefined, 'disk I/O error'), 'The disk fails'],
    [ofSqlite(4874, 'disk I/O error'), 'The disk is full'],
    [vague(266, EIO), 'The disk fails'],
    [vague(778, ENOSPC), 'The disk is full'],
    [vague(266, ESTALE), 'Its handle is stale'],
    [vague(14, EMFILE), 'This process has too many files open'],
    [vague(14, ENFILE), 'This machine has too many files open'],
    [vague(14, EACCES), 'Run this as the user who owns the registry'],
    [coded('EIO', 'EIO: i/o error, read'), 'The disk fails'],
    // As Node names what libuv does not know.
    [
      Object.assign(coded('Unknown system error -116', 'Unknown system error -116'), { errno: -116 }),
      'Its handle is stale',
    ],
    [coded('EMFILE', 'EMFILE: too many open files'), 'This process has too many files open'],
    [coded('EDQUOT', 'EDQUOT: quota'), 'The disk is full'],
    [coded('53100', 'could not extend file'), 'The disk is full'],
    [coded('EACCES', "EACCES: permission denied, open '/r'"), 'Run this as the user who owns the registry'],
    [coded('EROFS', "EROFS: read-only file system, open '/r'"), 'mount it for writing'],
    [coded('ENOSPC', 'ENOSPC: no space left on device'), 'make room'],
    [coded('25006', 'cannot execute INSERT in a read-only transaction'), 'the URL of the role that may write'],
    [coded('42501', 'permission denied for table accounts'), 'the URL of the role that may write'],
    [coded('57014', 'canceling statement due to statement timeout'), 'another process holds it'],
  ])('is shown with what to do: %s', (cause, what) => {
    expect(shown(cause)).toMatch(`${cause.message}. `)
    expect(shown(cause)).toContain(what)
  })

  it('is shown alone where it says enough', () => {
    expect(shown(coded('ECONNREFUSED', 'connect ECONNREFUSED'))).toBe('connect ECONNREFUSED')
    expect(shown(ofSqlite(1, 'no such table: x'))).toBe('no such table: x')
    expect(shown('thrown')).toBe('thrown')
  })
})
