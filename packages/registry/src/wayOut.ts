import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { code, sqliteErrorCode } from './sqlite/sqliteErrorCode.js'
import { reasonOf } from './Unavailable.js'

const damaged = 'The file is damaged, or is no registry: restore the copy of your last backup (docs/operations.md)'

const notOurs =
  'Run this as the user who owns the registry, as the server does: that user must be allowed to write the file, and the ' +
  'directory that it is in, where SQLite keeps two more beside it'

const onlyReading =
  'This role, or this server of PostgreSQL, may only read: let CANOPY_REGISTRY be the URL of the role that may write ' +
  '(that of admin.env, not of the servers), on the primary'

const ofSqlite: Readonly<Record<number, string>> = {
  [code.busy]:
    'Another process holds it, most likely another canopy command or a program of yours that has the file open: try again when that has ended',
  [code.readOnly]: notOurs,
  [code.corrupt]: damaged,
  [code.full]: 'The disk is full: make room',
  [code.cannotOpen]: notOurs,
  [code.notADatabase]: damaged,
}

/** By SQLSTATE or errno. */
const ofOthers: Readonly<Record<string, string>> = {
  '25006': onlyReading,
  '42501': onlyReading,
  '57014':
    'It is slow, or another process holds it, most likely another canopy command or a program of yours with an open ' +
    'transaction: try again when that has ended',
  EACCES: notOurs,
  EPERM: notOurs,
  EROFS:
    'It is on a file system that is mounted read-only: mount it for writing, or let CANOPY_REGISTRY name another place',
  ENOSPC: 'The disk is full: make room',
}

const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : ''

/** What an operator can do about a failure of a driver, where what it says of itself does not tell. */
const wayOut = (cause: unknown): O.Option<string> =>
  O.fromNullable(ofSqlite[sqliteErrorCode(cause)] ?? ofOthers[codeOf(cause)])

/** The reason of a driver's failure, and what to do about it. */
export const reasonAndWayOut = (cause: unknown): string =>
  pipe(
    wayOut(cause),
    O.match(
      () => reasonOf(cause),
      (what) => `${reasonOf(cause)}. ${what}`,
    ),
  )
