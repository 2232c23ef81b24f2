import type { Kysely } from 'kysely'
import type { Schema } from '../Schema.js'

export interface WritableDatabase {
  /** Its transactions take turns, across every process that writes: one begins when the one before has ended. */
  readonly db: Kysely<Schema>
  /** Runs the migrations on one connection, whole or not at all, and never beside another writer's. */
  readonly migrating: <A>(run: (db: Kysely<Schema>) => Promise<A>) => Promise<A>
}
