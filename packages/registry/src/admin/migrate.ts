import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, type MigrationResultSet, Migrator } from 'kysely'
import { migrationTable, type Schema } from '../Schema.js'
import { schemaVersion } from '../schemaVersion.js'
import { type Unavailable, unavailable } from '../Unavailable.js'
import { reasonAndWayOut } from '../wayOut.js'
import { migrations } from './migrations/migrations.js'
import type { WritableDatabase } from './WritableDatabase.js'

export const migrator = (db: Kysely<Schema>): Migrator =>
  new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
  })

/** Kysely gives an error back; a rejection makes the transaction around it roll back. */
const namesOf = ({ error, results = [] }: MigrationResultSet): Promise<ReadonlyArray<string>> =>
  error === undefined ? Promise.resolve(results.map(({ migrationName }) => migrationName)) : Promise.reject(error)

const update = async (db: Kysely<Schema>): Promise<'newer' | ReadonlyArray<string>> => {
  const version = await schemaVersion(db)
  if (version === 'newer') return version
  return version === 'current' ? [] : migrator(db).migrateToLatest().then(namesOf)
}

/** Brings the tables to this version, and tells by which steps. A database of a newer version is left alone. */
export const migrate = (
  { migrating }: WritableDatabase,
  place: string,
): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => migrating(update),
      (cause) => unavailable(`${place} cannot be brought to this version: ${reasonAndWayOut(cause)}`, cause),
    ),
    TE.flatMap((steps) =>
      steps === 'newer'
        ? TE.left(unavailable(`${place} was made by a newer Canopy. Use the canopy command of that version`))
        : TE.right(steps),
    ),
  )
