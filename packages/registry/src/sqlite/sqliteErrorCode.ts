/** In SQLite's own words: the driver leaves the number out of what fails while rows are read. */
const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
}

const codeOfWords = (cause: object): number =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_SQLITE_ERROR'
    ? (codeOfMessage[cause.message] ?? 0)
    : 0

/** The primary code of what SQLite could not do; 0 of anything else. */
export const sqliteErrorCode = (cause: unknown): number =>
  typeof cause !== 'object' || cause === null
    ? 0
    : 'errcode' in cause && typeof cause.errcode === 'number'
      ? // The low byte is the primary code.
        cause.errcode & 0xff
      : codeOfWords(cause)
