import type { Kysely } from 'kysely'
import { writePostgresql } from '../src/postgresql.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'
import type { Schema } from '../src/Schema.js'
import { writeSqlite } from '../src/sqlite.js'

const options = { maxConnections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** Direct access to the tables, for changes that no writer makes. */
export const rawDatabase = async (url: RegistryUrl): Promise<Kysely<Schema>> =>
  (url.engine === 'SQLite' ? await writeSqlite(url.path) : writePostgresql(url.connectionString, options)).db
