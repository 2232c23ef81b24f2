import { createHash } from 'node:crypto'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { closing, type ReadDatabase } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import { type migrationTable, ofAnotherVersion, type Schema, schemaVersion } from '../Schema.js'
import { type Unavailable, unavailable } from '../Unavailable.js'
import { openMigrated, patient } from './RegistryWriter.js'
import { inTransaction } from './tables.js'

/** What operators made, with the keys: accounts first, to which others refer. The versions of settings the database writes. */
const keysOf = {
  accounts: ['id'],
  tokens: ['sha256'],
  settings: ['account', 'path_sha256'],
  triggers: ['id'],
} as const satisfies Record<Exclude<keyof Schema, typeof migrationTable | 'settings_versions'>, ReadonlyArray<string>>

type Table = keyof typeof keysOf
const tables = Object.keys(keysOf) as ReadonlyArray<Table>

/** How many rows of each there are. */
export type Counts = Readonly<Record<Table, number>>

/** The target holds a registry, which would be lost. */
export interface NotEmpty {
  readonly error: 'registry not empty'
  readonly place: string
  readonly rows: Counts
}

export interface CopyOptions {
  /** Deletes what the target holds. */
  readonly replace: boolean
  /** How many rows of how many are copied and checked. */
  readonly onProgress: (done: number, all: number) => void
}

type Row = Readonly<Record<string, string | number | null>>

/** One statement may have to delete very much. */
const veryPatient = { ...patient, statementTimeoutMs: 600_000 }

/** What SQLite and a driver take a few milliseconds for. */
const rowsOfABatch = 1_000

/** The rows of a table by its key, a part of them in memory at a time. */
async function* batchesOf(db: Kysely<Schema>, table: Table): AsyncGenerator<ReadonlyArray<Row>> {
  const keys: ReadonlyArray<string> = keysOf[table]
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  let after = sql``
  for (;;) {
    const batch = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(rowsOfABatch)}`
    const { rows } = await batch.execute(db)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsOfABatch) return
    after = sql`where (${columns}) > (${sql.join(keys.map((key) => last[key]))})`
  }
}

const countsOf = async (db: Kysely<Schema>): Promise<Counts> => {
  const counts = { accounts: 0, tokens: 0, settings: 0, triggers: 0 }
  for (const table of tables) {
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from ${sql.table(table)}`.execute(db)
    counts[table] = Number(rows[0]?.n)
  }
  return counts
}

const rowsIn = (counts: Counts): number => tables.reduce((sum, table) => sum + counts[table], 0)

/** Of rows in any order, since collations differ: the sum, without carry, of a hash of each; no two are equal. */
const digesting = () => {
  const sum = Buffer.alloc(32)
  return {
    add: (rows: ReadonlyArray<Row>) => {
      for (const row of rows) {
        const text = JSON.stringify(row, Object.keys(row).sort())
        for (const [at, byte] of createHash('sha256').update(text).digest().entries()) sum[at] = (sum[at] ?? 0) ^ byte
      }
    },
    digest: () => sum.toString('hex'),
  }
}

/** Fails, and the transaction with it, where the target does not hold afterwards what was read. */
const copyRows = async (from: Kysely<Schema>, to: Kysely<Schema>, onProgress: CopyOptions['onProgress']) => {
  const counts = await countsOf(from)
  let done = 0
  const step = ({ length }: ReadonlyArray<Row>): void => {
    done += length
    onProgress(done, 2 * rowsIn(counts))
  }
  const digests = new Map<Table, string>()
  for (const table of tables) {
    const read = digesting()
    for await (const rows of batchesOf(from, table)) {
      read.add(rows)
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)))})
        values ${sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`))}`.execute(to)
      step(rows)
    }
    digests.set(table, read.digest())
  }
  const copied = await countsOf(to)
  for (const table of tables) {
    const written = digesting()
    for await (const rows of batchesOf(to, table)) {
      written.add(rows)
      step(rows)
    }
    if (copied[table] !== counts[table] || written.digest() !== digests.get(table))
      return E.left(Failure.external(new Error(`the copy of ${table} is not what was read, so nothing was copied`)))
  }
  return E.right(counts)
}

/** What is damaged may lack rows, and a newer version may have tables that this one does not know: the copy would lack them. */
const checkSource = (
  url: RegistryUrl,
  { db, damage }: ReadDatabase,
): TE.TaskEither<Unavailable | Failure.External, void> =>
  pipe(
    TE.tryCatch(() => schemaVersion(db), Failure.external),
    TE.filterOrElseW(
      (version) => version !== 'extended',
      () => ofAnotherVersion(describe(url), 'newer'),
    ),
    TE.flatMap(() => damage),
    TE.flatMap(([first]) =>
      first === undefined
        ? TE.right(undefined)
        : TE.left(
            unavailable(
              `${describe(url)} is damaged, so it is not copied: ${first}`,
              undefined,
              'Restore an older copy',
            ),
          ),
    ),
  )

/** An older registry is brought to this version, which is for good, only where all that it holds is replaced. */
const openTarget = (url: RegistryUrl, replace: boolean) =>
  pipe(
    openDatabase(url, patient),
    TE.matchE(
      (problem) => (problem.isOlder === true && !replace ? TE.left(problem) : TE.right(undefined)),
      (database) => TE.fromTask<void, Unavailable>(closing(database)),
    ),
    TE.flatMap(() => openMigrated(url, veryPatient)),
    TE.mapLeft(({ why, cause, suggestion = '' }) =>
      unavailable(
        why,
        cause,
        `${suggestion}${suggestion && '. '}Nothing was copied: the target must be a registry of this version, or a place where nothing is`,
      ),
    ),
  )

/**
 * Copies one moment of a registry, while servers read it and commands write it, to a registry that is made where there is none:
 * in one transaction, so that it happens as a whole or not at all.
 */
export const copyRegistry = (
  from: RegistryUrl,
  to: RegistryUrl,
  { replace, onProgress }: CopyOptions,
): TE.TaskEither<Unavailable | NotEmpty | Failure.External, Counts> =>
  TE.bracket(
    openDatabase(from, patient),
    (source) =>
      pipe(
        checkSource(from, source),
        TE.flatMap(() =>
          TE.bracketW(
            openTarget(to, replace),
            ({ db }) =>
              inTransaction(db, async (target): Promise<E.Either<NotEmpty | Failure.External, Counts>> => {
                const rows = await countsOf(target)
                if (!replace && rowsIn(rows) > 0)
                  return E.left({ error: 'registry not empty', place: describe(to), rows })
                for (const table of [...tables].reverse()) await target.deleteFrom(table).execute()
                return source.snapshot((db) => copyRows(db, target, onProgress))
              }),
            (target) => TE.fromTask(closing(target)),
          ),
        ),
      ),
    (source) => TE.fromTask(closing(source)),
  )
