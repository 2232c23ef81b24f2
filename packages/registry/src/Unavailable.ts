import { constants } from 'node:os'

/** The registry cannot be used. `message` is reason and hint. No field contains a secret. */
export interface Unavailable {
  readonly error: 'registry unavailable'
  readonly message: string
  readonly reason: string
  readonly hint: string | undefined
  readonly cause: unknown
  /** It only needs a migration. */
  readonly isOlder?: boolean
}

/** One text for people: the reason, and the hint if there is one. A hint after a reason with a colon is a sentence of its own. */
export const messageWithHint = (reason: string, hint = ''): string => {
  if (hint === '') return reason
  if (reason.includes('\n')) return `${reason}\n${hint}`
  if (reason.endsWith('.') || hint.startsWith('(')) return `${reason} ${hint}`
  return reason.includes(': ') || /^[A-Z]/.test(hint)
    ? `${reason}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
    : `${reason}: ${hint}`
}

export const unavailable = (reason: string, hint?: string, cause?: unknown): Unavailable => ({
  error: 'registry unavailable',
  message: messageWithHint(reason, hint),
  reason,
  hint,
  cause,
})

const textOf = (cause: unknown, field: 'message' | 'code'): string =>
  typeof cause === 'object' && cause !== null && field in cause ? String(cause[field as keyof typeof cause]) : ''

/** The message of an error in one line. A refused connection may have a code and no message. */
export const driverReason = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null
    ? textOf(cause, 'message') || textOf(cause, 'code') || 'no reason given'
    : String(cause)

/** Result codes of SQLite (sqlite.org/rescode.html) by message: while rows are read, the driver omits the code. */
const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'string or blob too big': 18,
  'unable to open database file': 14,
  'file is not a database': 26,
}

const numberOf = (cause: unknown, field: 'errcode' | 'systemErrno' | 'errno'): number | undefined => {
  const value: unknown = Object(cause)[field]
  return typeof value === 'number' ? value : undefined
}

const sqliteCodeOf = (cause: unknown): number | undefined => {
  const extended = numberOf(cause, 'errcode')
  // The low byte is the primary code.
  if (extended !== undefined) return extended & 0xff
  return textOf(cause, 'code') === 'ERR_SQLITE_ERROR' ? codeOfMessage[textOf(cause, 'message')] : undefined
}

/** Another process holds the lock of a SQLite file: a later attempt may succeed. */
export const isBusy = (cause: unknown): boolean => sqliteCodeOf(cause) === 5

const damaged = 'The file is damaged, or not a registry: restore your last backup (docs/operations.md)'
const full = "The disk or this user's quota is full: free some space"
const failing =
  'The disk, or the connection to it, is failing: check the kernel log (`dmesg`), and make sure that your last backup is safe'
const notOurs =
  'Run the server and the command as the user who owns the registry. That user needs write access to the file and to its ' +
  'directory, where SQLite keeps two more files'
const onlyReading =
  'This PostgreSQL role or server is read-only: set CANOPY_REGISTRY to the URL of the read-write role on the primary ' +
  '(not the one that the servers use: docs/configuration.md)'
const notPermitted =
  'The command needs the URL of the read-write role on the primary in CANOPY_REGISTRY, and the role that the servers use ' +
  'needs SELECT on every table (docs/configuration.md)'
const readOnly =
  'The file system is mounted read-only: remount it for writing, or set CANOPY_REGISTRY to another location'
const otherProcess = 'another process (probably another canopy command, or one of your own programs)'

/** By the code of SQLite, SQLSTATE or errno. */
const hints: Readonly<Record<string | number, string>> = {
  5: `In use by ${otherProcess}: try again when it has finished`,
  8: notOurs,
  10: failing,
  11: damaged,
  13: full,
  14: notOurs,
  18: 'Canopy never writes a value this large: find it with sqlite3 and delete it, or restore your last backup',
  26: damaged,
  // SQLITE_IOERR_SHMSIZE: no room for the shared memory beside the file.
  4874: full,
  '25006': onlyReading,
  '42501': notPermitted,
  '53100': full,
  '57014': `The database is slow, or ${otherProcess} is holding a transaction open: try again when it has finished`,
  '58030': failing,
  EACCES: notOurs,
  EDQUOT: full,
  EFBIG: 'This process is not allowed to write larger files: raise the file-size limit (`LimitFSIZE`, `ulimit -f`)',
  EIO: failing,
  EMFILE: 'This process has too many files open: raise the open-file limit (`LimitNOFILE`, `ulimit -n`)',
  ENFILE: 'This machine has too many files open: raise `fs.file-max`',
  ENOSPC: full,
  EPERM: notOurs,
  EROFS: readOnly,
  ESTALE: 'The file handle is stale because the file server was replaced: remount the file system',
}

/** `undefined` for an error without a known remedy. */
export const hintOf = (cause: unknown): string | undefined => {
  const code = sqliteCodeOf(cause)
  // These two codes are general; errno names the actual failure.
  const errno = code === 10 || code === 14 ? numberOf(cause, 'systemErrno') : -(numberOf(cause, 'errno') ?? 0)
  const [name] = Object.entries(constants.errno).find(([, number]) => number === errno) ?? []
  return [name, numberOf(cause, 'errcode'), code, textOf(cause, 'code')]
    .map((key) => hints[key ?? ''])
    .find((hint) => hint !== undefined)
}

/** SQLite could not create the two files beside a database in WAL mode. */
export const cannotWriteBeside = (cause: unknown): boolean =>
  [8, 14].some((code) => code === sqliteCodeOf(cause)) && [notOurs, readOnly].some((hint) => hint === hintOf(cause))

/** Explains an error of a driver. `what` begins the reason. */
export const failedTo =
  (what: string) =>
  (cause: unknown): Unavailable =>
    unavailable(`${what}: ${driverReason(cause)}`, hintOf(cause), cause)

/** Adds the hint for an error of a driver to its message. */
export const errorWithHint = (cause: unknown): unknown => {
  const hint = hintOf(cause)
  return hint === undefined
    ? cause
    : Object.assign(new Error(messageWithHint(driverReason(cause), hint), { cause }), { code: textOf(cause, 'code') })
}
