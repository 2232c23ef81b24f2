/** Primary result codes of SQLite (sqlite.org/rescode.html), by their names there. */
export const code = { none: 0, busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 }

/** In SQLite's own words: the driver leaves the number out of what fails while rows are read. */
const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': code.busy,
  'attempt to write a readonly database': code.readOnly,
  'database disk image is malformed': code.corrupt,
  'database or disk is full': code.full,
  'unable to open database file': code.cannotOpen,
  'file is not a database': code.notADatabase,
}

const codeOfWords = (cause: object): number =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_SQLITE_ERROR'
    ? (codeOfMessage[cause.message] ?? code.none)
    : code.none

/** The primary code of what SQLite could not do; `none` of anything else. */
export const sqliteErrorCode = (cause: unknown): number =>
  typeof cause !== 'object' || cause === null
    ? code.none
    : 'errcode' in cause && typeof cause.errcode === 'number'
      ? // The low byte is the primary code.
        cause.errcode & 0xff
      : codeOfWords(cause)

/** Another process holds the lock: asking again later may work. */
export const isBusy = (cause: unknown): boolean => sqliteErrorCode(cause) === code.busy

/** SQLite could not make the files it keeps beside a database in WAL mode. */
export const cannotWriteBeside = (cause: unknown): boolean =>
  [code.readOnly, code.cannotOpen].includes(sqliteErrorCode(cause))
