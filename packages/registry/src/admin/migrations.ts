import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import {
  appliedSteps,
  migrationNames,
  migrationTable,
  ofAnotherVersion,
  type Schema,
  schemaVersion,
} from '../Schema.js'
import { failedTo, type Unavailable } from '../Unavailable.js'

type Engine = RegistryUrl['engine']
type MigrationName = (typeof migrationNames)[number]

/** The table that says which steps were run. */
const record = `create table if not exists "${migrationTable}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`

/** Every change of a row of settings, and the row whose account it concerns: an update can give a row to another account. */
const changes = [
  ['insert', 'new'],
  ['update', 'old'],
  ['update', 'new'],
  ['delete', 'old'],
] as const

const another = 'on conflict (account) do update set version = excluded.version'

const newVersion = { SQLite: 'lower(hex(randomblob(16)))', PostgreSQL: 'gen_random_uuid()::text' }

const versioning = {
  SQLite: changes.map(
    ([event, row]) => `
    create trigger settings_${event}_${row} after ${event} on settings begin
      insert into settings_versions (account, version) values (${row}.account, ${newVersion.SQLite}) ${another};
    end`,
  ),
  // Once for each transaction, since no one sees it before its end: to update a row many times in one takes PostgreSQL
  // quadratic time.
  PostgreSQL: [
    `create function settings_changed() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op = 'TRUNCATE' then
        delete from settings_versions;
      else
        insert into settings_versions (account, version)
          select account, ${newVersion.PostgreSQL} from changed group by account order by account ${another}
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
  ],
}

const steps: Readonly<Record<MigrationName, (engine: Engine) => ReadonlyArray<string>>> = {
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
    // Without a foreign key: that the settings of a deleted account are gone is a change as well.
    'create table "settings_versions" ("account" text not null primary key, "version" text not null)',
    `insert into settings_versions (account, version) select account, ${newVersion[engine]} from settings group by account`,
    ...versioning[engine],
  ],
  // What `canopy` found and did when it gave an account its directory. Of the accounts before, nothing is known.
  '0006_areas': () => [
    'alter table "accounts" add column "mount_point" integer default 0 not null',
    'alter table "accounts" add column "area_made" integer default 0 not null',
  ],
}

/** Takes the steps up to the last that is wanted, all or none, and gives those that were missing. */
export const migrateTo = (db: Kysely<Schema>, engine: Engine, last: MigrationName) =>
  db.transaction().execute(async (transaction): Promise<'newer' | ReadonlyArray<string>> => {
    const version = await schemaVersion(transaction)
    if (version === 'newer' || version === 'extended') return 'newer'
    if (version === 'current') return []
    const run = async (statements: ReadonlyArray<string>): Promise<void> => {
      for (const statement of statements) await sql.raw(statement).execute(transaction)
    }
    await run([record])
    const taken = await appliedSteps(transaction)
    const wanted = migrationNames.slice(0, migrationNames.indexOf(last) + 1).filter((name) => !taken.includes(name))
    for (const name of wanted) {
      await run(steps[name](engine))
      await transaction.insertInto(migrationTable).values({ name, timestamp: new Date().toISOString() }).execute()
    }
    return wanted
  })

/** Brings the tables to this version, and says by which steps. A database of a newer version is left alone, also an extended one. */
export const migrate = (url: RegistryUrl, db: Kysely<Schema>): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => migrateTo(db, url.engine, '0006_areas'),
      failedTo(`${describe(url)} cannot be brought to this version`),
    ),
    TE.filterOrElse(
      (taken): taken is ReadonlyArray<string> => taken !== 'newer',
      () => ofAnotherVersion(describe(url), 'newer'),
    ),
  )
