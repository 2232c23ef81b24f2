/** The primary code of what SQLite could not do, by any driver with the API of `node:sqlite`; 0 of anything else. */
export const sqliteErrorCode = (cause: unknown): number =>
  typeof cause === 'object' && cause !== null && 'errcode' in cause && typeof cause.errcode === 'number'
    ? // The low byte is the primary code.
      cause.errcode & 0xff
    : 0
