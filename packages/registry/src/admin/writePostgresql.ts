import {
  CompiledQuery,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import * as PostgresqlOptions from '../postgresql/PostgresqlOptions.js'
import { postgresqlPool } from '../postgresql/postgresqlPool.js'
import type { Schema } from '../Schema.js'
import type { WritableDatabase } from './WritableDatabase.js'

/** A lock that only writers of the registry take, until their transaction ends. The number is any, but always this one. */
const takeTurn = 'select pg_advisory_xact_lock(7238914650392481)'

const dialect = (pool: ReturnType<typeof postgresqlPool>): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () =>
    Object.assign(new PostgresDriver({ pool }), {
      beginTransaction: async (connection: Parameters<PostgresDriver['beginTransaction']>[0]) => {
        const run = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement))
        await run('begin')
        // A connection whose turn did not come must not go back to the pool in the middle of a transaction.
        await run(takeTurn).catch((cause: unknown) => run('rollback').then(() => Promise.reject(cause)))
      },
    }),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

export const writePostgresql = (connectionString: string): WritableDatabase => {
  const db = new Kysely<Schema>({
    dialect: dialect(postgresqlPool(connectionString, { ...PostgresqlOptions.patient, readOnly: false })),
  })
  // Kysely's own migrator locks and uses a transaction here, since DDL can be rolled back.
  return { db, migrating: (run) => run(db) }
}
