import type { Kysely } from 'kysely'
import type { Schema } from './Schema.js'

/** A database opened for reading, and a cheap way to see that nothing in it has changed. */
export interface ReadDatabase {
  readonly db: Kysely<Schema>
  /**
   * Two equal answers to questions between which something was awaited: nothing that was committed between them can be seen
   * by a query. Questions with nothing awaited in between may share an answer.
   */
  readonly version: () => number | string | Promise<number | string>
}
