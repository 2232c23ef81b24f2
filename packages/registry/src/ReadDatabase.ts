import type { Kysely } from 'kysely'
import type { Schema } from './Schema.js'

/** A database opened for reading, and a cheap way to see that nothing in it has changed. */
export interface ReadDatabase {
  readonly db: Kysely<Schema>
  /** Two equal answers: nothing that was committed between the two questions can be seen by a query. */
  readonly version: () => number | string | Promise<number | string>
}
