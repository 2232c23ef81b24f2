import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { runTransaction } from '../Database.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import {
  appliedMigrations,
  migrationNames,
  migrationTable,
  type Schema,
  schemaProblem,
  schemaVersion,
  wrongVersion,
} from '../Schema.js'
import { failedTo, type Unavailable } from '../Unavailable.js'

type Engine = RegistryUrl['engine']
type MigrationName = (typeof migrationNames)[number]

/** The table of the migrations that have run. */
const createMigrationTable = `create table if not exists "${migrationTable}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`

/** Events on a table, and the row with the changed account. An update can move a row to another account: it changes both. */
const changes = [
  ['insert', 'new'],
  ['update', 'old'],
  ['update', 'new'],
  ['delete', 'old'],
] as const

const setNewVersion = 'on conflict (account) do update set version = excluded.version'

const newVersion = { SQLite: 'lower(hex(randomblob(16)))', PostgreSQL: 'gen_random_uuid()::text' }

// One new version per transaction is enough. PostgreSQL needs quadratic time to update one row many times in a transaction.
const settingsChanged = `create function settings_changed() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op = 'TRUNCATE' then
        delete from settings_versions;
      else
        insert into settings_versions (account, version)
          select account, ${newVersion.PostgreSQL} from changed group by account order by account ${setNewVersion}
          where settings_versions.xmin <> pg_current_xact_id()::xid;
      end if;
      return null;
    end
  $$`

/** The triggers that give an account a new version on every change of one of its rows. */
const versioning = (engine: Engine, table: 'settings' | 'rules'): ReadonlyArray<string> =>
  engine === 'SQLite'
    ? changes.map(
        ([event, row]) => `
    create trigger ${table}_${event}_${row} after ${event} on ${table} begin
      insert into settings_versions (account, version) values (${row}.account, ${newVersion.SQLite}) ${setNewVersion};
    end`,
      )
    : [
        ...changes.map(
          ([event, row]) => `
    create trigger ${table}_${event}_${row} after ${event} on ${table}
      referencing ${row} table as changed for each statement execute function settings_changed()`,
        ),
        `create trigger ${table}_truncate after truncate on ${table} execute function settings_changed()`,
      ]

const migrations: Readonly<Record<MigrationName, (engine: Engine) => ReadonlyArray<string>>> = {
  '0001_accounts': () => [
    'create table "accounts" ("id" text not null primary key, "name" text, "verified" integer not null, "location" text not null)',
  ],
  '0002_tokens': () => [
    'create table "tokens" ("sha256" text not null primary key, ' +
      '"account" text not null references "accounts" ("id") on delete cascade, "scope" text not null, ' +
      '"expires" text, "label" text)',
    'create index "tokens_by_account" on "tokens" ("account")',
  ],
  '0003_settings': () => [
    'create table "settings" ("account" text not null references "accounts" ("id") on delete cascade, ' +
      '"path_sha256" text not null, "path" text not null, "visibility" text not null, ' +
      'constraint "settings_by_path" primary key ("account", "path_sha256"))',
  ],
  '0004_triggers': () => [
    'create table "triggers" ("id" text not null primary key, "value" text not null, "expires" text)',
  ],
  '0005_settings_versions': (engine) => [
    // No foreign key: the row survives its account, because deleted settings are a new version too.
    'create table "settings_versions" ("account" text not null primary key, "version" text not null)',
    `insert into settings_versions (account, version) select account, ${newVersion[engine]} from settings group by account`,
    ...(engine === 'SQLite' ? [] : [settingsChanged]),
    ...versioning(engine, 'settings'),
  ],
  // Facts from the creation of an area. Unknown for older accounts.
  '0006_areas': () => [
    'alter table "accounts" add column "mount_point" integer default 0 not null',
    'alter table "accounts" add column "area_made" integer default 0 not null',
  ],
  // Not additive: an older server would show the nodes that rules restrict.
  '0007_rules': (engine) => [
    'create table "rules" ("account" text not null references "accounts" ("id") on delete cascade, ' +
      '"pattern" text not null, "visibility" text not null, constraint "rules_by_pattern" primary key ("account", "pattern"))',
    ...versioning(engine, 'rules'),
  ],
}

type Migrated = E.Either<'newer', ReadonlyArray<string>>

/** Runs the missing migrations in one transaction, all or those up to `last`, and returns their names. */
export const migrateTo = (db: Kysely<Schema>, engine: Engine, last?: MigrationName): Promise<Migrated> =>
  runTransaction(db, async (transaction): Promise<Migrated> => {
    const version = await schemaVersion(transaction)
    if (version === 'newer' || version === 'extended') return E.left('newer')
    if (version === 'current') return E.right([])
    const run = async (statements: ReadonlyArray<string>): Promise<void> => {
      for (const statement of statements) await sql.raw(statement).execute(transaction)
    }
    await run([createMigrationTable])
    const applied = await appliedMigrations(transaction)
    const wanted = last === undefined ? migrationNames : migrationNames.slice(0, migrationNames.indexOf(last) + 1)
    const missing = wanted.filter((name) => !applied.includes(name))
    for (const name of missing) {
      await run(migrations[name](engine))
      await transaction.insertInto(migrationTable).values({ name, timestamp: new Date().toISOString() }).execute()
    }
    return E.right(missing)
  })

/** Runs all missing migrations and returns their names. Refuses a newer database, even an extended one. */
export const migrate =
  (url: RegistryUrl, db: Kysely<Schema>): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  async () => {
    const place = describe(url)
    try {
      const migrated = await migrateTo(db, url.engine)
      if (E.isLeft(migrated)) return E.left(wrongVersion(place, migrated.left))
      const problem = await schemaProblem(db, place)
      return problem === undefined ? migrated : E.left(problem)
    } catch (cause) {
      return E.left(failedTo(`${place} cannot be migrated`)(cause))
    }
  }
