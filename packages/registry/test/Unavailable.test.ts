import { constants } from 'node:os'
import { expect, it } from 'vitest'
import { driverReason, errorWithHint } from '../src/Unavailable.js'

const described = (cause: unknown): string => driverReason(errorWithHint(cause))

const coded = (code: string, message: string, more: object = {}) => Object.assign(new Error(message), { code, ...more })
const sqliteError = (errcode: number | undefined, message = 'x', more: object = {}) =>
  coded('ERR_SQLITE_ERROR', message, { ...(errcode === undefined ? {} : { errcode }), ...more })
const { EIO, EMFILE, ENFILE, ENOSPC, ESTALE, EACCES, EFBIG } = constants.errno

it.each([
  ['In use by another process', [sqliteError(5), sqliteError(261)]],
  [
    'restore your last backup',
    [sqliteError(11), sqliteError(undefined, 'database disk image is malformed'), sqliteError(26)],
  ],
  ['Run the server and the command as the user who owns the registry', [sqliteError(8), sqliteError(14)]],
  [
    'Run the server and the command as the user who owns',
    [sqliteError(14, 'x', { systemErrno: EACCES }), coded('EACCES', 'x')],
  ],
  ['quota is full', [sqliteError(13), sqliteError(4874), sqliteError(778, 'x', { systemErrno: ENOSPC })]],
  ['quota is full', [coded('EDQUOT', 'x'), coded('53100', 'x'), coded('ENOSPC', 'x')]],
  ['is failing', [sqliteError(10), sqliteError(undefined, 'disk I/O error'), coded('EIO', 'x')]],
  ['is failing', [sqliteError(266, 'x', { systemErrno: EIO })]],
  // Node's name of an errno that libuv does not know.
  ['handle is stale', [sqliteError(266, 'x', { systemErrno: ESTALE }), coded('Unknown 116', 'x', { errno: -116 })]],
  ['This process has too many files', [sqliteError(14, 'x', { systemErrno: EMFILE }), coded('EMFILE', 'x')]],
  ['This machine has too many files', [sqliteError(14, 'x', { systemErrno: ENFILE })]],
  ['is not allowed to write larger files', [sqliteError(10, 'x', { systemErrno: EFBIG })]],
  ['remount it for writing', [coded('EROFS', 'x')]],
  ['the URL of the read-write role', [coded('25006', 'x'), coded('42501', 'x')]],
  ['is holding a transaction open', [coded('57014', 'canceling statement due to statement timeout')]],
])('adds "%s" to the message of a driver', (hint, causes) => {
  for (const cause of causes) {
    expect(described(cause)).toMatch(`${cause.message}. `)
    expect(described(cause)).toContain(hint)
  }
})

it('adds no hint to a message that needs none', () => {
  expect(described(coded('ECONNREFUSED', 'connect ECONNREFUSED'))).toBe('connect ECONNREFUSED')
  expect(described(sqliteError(1, 'no such table: x'))).toBe('no such table: x')
  expect(described('thrown')).toBe('thrown')
})
