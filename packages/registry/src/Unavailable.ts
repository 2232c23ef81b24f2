/** The registry cannot be used at all. `message` says why and what to do, and holds no secret. */
export interface Unavailable {
  readonly error: 'registry unavailable'
  readonly message: string
  readonly cause: unknown
  /** It is there, and only of an older version. */
  readonly isOlder?: boolean
}

export const unavailable = (message: string, cause?: unknown): Unavailable => ({
  error: 'registry unavailable',
  message,
  cause,
})

const textOf = (cause: unknown, field: 'message' | 'code'): string =>
  typeof cause === 'object' && cause !== null && field in cause ? String(cause[field as keyof typeof cause]) : ''

/** What a driver says of its failure, in one line. A refused connection may have a code and no message. */
export const reasonOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null
    ? textOf(cause, 'message') || textOf(cause, 'code') || 'no reason given'
    : String(cause)

/** Result codes of SQLite (sqlite.org/rescode.html), in its words: the driver leaves out the number where rows are read. */
const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
}

const sqliteCodeOf = (cause: unknown): number | undefined =>
  typeof cause === 'object' && cause !== null && 'errcode' in cause && typeof cause.errcode === 'number'
    ? // The low byte is the primary code.
      cause.errcode & 0xff
    : textOf(cause, 'code') === 'ERR_SQLITE_ERROR'
      ? codeOfMessage[textOf(cause, 'message')]
      : undefined

/** Another process holds the lock of a SQLite file: asking again later may work. */
export const isBusy = (cause: unknown): boolean => sqliteCodeOf(cause) === 5

/** SQLite could not make the files it keeps beside a database in WAL mode. */
export const cannotWriteBeside = (cause: unknown): boolean => [8, 14].some((code) => code === sqliteCodeOf(cause))

const damaged = 'The file is damaged, or is no registry: restore the copy of your last backup (docs/operations.md)'
const full = 'The disk is full: make room'
const notOurs =
  'Run this as the user who owns the registry, as the server does: that user must be allowed to write the file, and the ' +
  'directory that it is in, where SQLite keeps two more beside it'
const onlyReading =
  'This role, or this server of PostgreSQL, may only read: let CANOPY_REGISTRY be the URL of the role that may write ' +
  '(that of admin.env, not of the servers), on the primary'
const held = 'most likely another canopy command or a program of yours'

/** What an operator can do, by the code of SQLite, SQLSTATE or errno. */
const hints: Readonly<Record<string | number, string>> = {
  5: `Another process holds it, ${held} that has the file open: try again when that has ended`,
  8: notOurs,
  11: damaged,
  13: full,
  14: notOurs,
  26: damaged,
  '25006': onlyReading,
  '42501': onlyReading,
  '57014': `It is slow, or another process holds it, ${held} with an open transaction: try again when that has ended`,
  EACCES: notOurs,
  EPERM: notOurs,
  EROFS:
    'It is on a file system that is mounted read-only: mount it for writing, or let CANOPY_REGISTRY name another place',
  ENOSPC: full,
}

/** The reason of a driver's failure, and what to do about it where the reason does not say it. */
export const reasonAndHint = (cause: unknown): string => {
  const hint = hints[sqliteCodeOf(cause) ?? textOf(cause, 'code')]
  return hint === undefined ? reasonOf(cause) : `${reasonOf(cause)}. ${hint}`
}
