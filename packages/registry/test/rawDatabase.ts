import type { Kysely } from 'kysely'
import { writePostgresql } from '../src/postgresql.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'
import type { Schema } from '../src/Schema.js'
import { writeSqlite } from '../src/sqlite.js'

const options = { connections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** The tables themselves, for what no writer would do. */
export const rawDatabase = async (url: RegistryUrl): Promise<Kysely<Schema>> =>
  (url.engine === 'SQLite' ? await writeSqlite(url.path) : writePostgresql(url.connectionString, options)).db
