import { sql } from 'kysely'
import type { RegistryUrl } from '../src/RegistryUrl.js'
import { rawDatabase } from './rawDatabase.js'

interface Definition {
  readonly name: string
  readonly sql: string | null
}

const definitions = {
  SQLite: sql`select name, sql from sqlite_master order by name`,
  PostgreSQL: sql`
    select indexname as name, indexdef as sql from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint where contype <> 't'
      and connamespace = 'public'::regnamespace
    union all
    select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`,
}

/** Tables, columns, indexes, constraints, triggers and functions, as the database defines them. */
export const schemaOf = async (url: RegistryUrl) => {
  const raw = await rawDatabase(url)
  const tables = await raw.introspection.getTables()
  const { rows } = await sql<Definition>`${definitions[url.engine]}`.execute(raw)
  await raw.destroy()
  return { tables: tables.map(({ name, columns }) => ({ name, columns })), rows }
}
