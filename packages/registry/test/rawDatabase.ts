import type { Kysely } from 'kysely'
import { writePostgresql } from '../src/admin/writePostgresql.js'
import { writeSqlite } from '../src/admin/writeSqlite.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'
import type { Schema } from '../src/Schema.js'

/** The tables themselves, for what no writer would do. */
export const rawDatabase = async (url: RegistryUrl): Promise<Kysely<Schema>> =>
  (url.engine === 'SQLite' ? await writeSqlite(url.path) : writePostgresql(url.connectionString)).db
