import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Every change of a row, and the row whose account it concerns: an update can give a row to another account. */
const changes = [
  ['insert', 'new'],
  ['update', 'old'],
  ['update', 'new'],
  ['delete', 'old'],
] as const

const another = 'on conflict (account) do update set version = excluded.version'

const sqliteVersion = 'lower(hex(randomblob(16)))'

const sqlite = changes.map(
  ([event, row]) => `
    create trigger settings_${event}_${row} after ${event} on settings begin
      insert into settings_versions (account, version) values (${row}.account, ${sqliteVersion}) ${another};
    end`,
)

const postgresqlVersion = 'gen_random_uuid()::text'

// Once for each transaction, since nobody sees it before its end: to update a row many times in one takes PostgreSQL
// quadratic time.
const postgresql = [
  `create function settings_changed() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op = 'TRUNCATE' then
        delete from settings_versions;
      else
        insert into settings_versions (account, version)
          select account, ${postgresqlVersion} from changed group by account order by account ${another}
          where settings_versions.xmin <> pg_current_xact_id()::xid;
      end if;
      return null;
    end
  $$`,
  ...changes.map(
    ([event, row]) => `
    create trigger settings_${event}_${row} after ${event} on settings
      referencing ${row} table as changed for each statement execute function settings_changed()`,
  ),
  'create trigger settings_truncate after truncate on settings execute function settings_changed()',
]

export const up = async (db: Kysely<unknown>): Promise<void> => {
  const [version, statements] =
    db.getExecutor().adapter instanceof PostgresAdapter ? [postgresqlVersion, postgresql] : [sqliteVersion, sqlite]
  await db.schema
    .createTable('settings_versions')
    // Without a foreign key: that the settings of a deleted account are gone is a change as well.
    .addColumn('account', 'text', (column) => column.notNull().primaryKey())
    .addColumn('version', 'text', (column) => column.notNull())
    .execute()
  await sql
    .raw(`insert into settings_versions (account, version) select account, ${version} from settings group by account`)
    .execute(db)
  for (const statement of statements) await sql.raw(statement).execute(db)
}
