import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { answering, batchesOf, closing, inTransaction, type ReadDatabase } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import { sha256Hex } from '../rows.js'
import { type migrationTable, ofAnotherVersion, type Schema, schemaVersion } from '../Schema.js'
import { type Unavailable, unavailable } from '../Unavailable.js'
import { openMigrated, patient, problemOf } from './RegistryWriter.js'

/** What operators made. The versions of settings the database writes. */
type Table = Exclude<keyof Schema, typeof migrationTable | 'settings_versions'>

/** How many rows of each there are. */
export type Counts = Readonly<Record<Table, number>>

/** Accounts first, to which others refer. */
const noRows: Counts = { accounts: 0, tokens: 0, settings: 0, triggers: 0 }
const tables = Object.keys(noRows) as ReadonlyArray<Table>

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

const batchesIn = (db: Kysely<Schema>, table: Table) => batchesOf(db.selectFrom(table).selectAll().$castTo<Row>())

/** One statement may have to delete very much. */
const veryPatient = { ...patient, statementTimeoutMs: 600_000 }

const countsOf = async (db: Kysely<Schema>): Promise<Counts> => {
  const counts = { ...noRows }
  for (const table of tables) {
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from ${sql.table(table)}`.execute(db)
    counts[table] = Number(rows[0]?.n)
  }
  return counts
}

const rowsIn = (counts: Counts): number => tables.reduce((sum, table) => sum + counts[table], 0)

/** Of rows in any order, since collations differ: the sum, without carry, of a hash of each; no two are equal. */
const digestOf = (rows: ReadonlyArray<Row>): bigint =>
  rows.reduce((sum, row) => sum ^ BigInt(`0x${sha256Hex(JSON.stringify(row, Object.keys(row).sort()))}`), 0n)

/** Fails, and the transaction with it, where the target does not hold afterwards what was read. */
const copyRows = async (from: Kysely<Schema>, to: Kysely<Schema>, onProgress: CopyOptions['onProgress']) => {
  const counts = await countsOf(from)
  let done = 0
  const step = ({ length }: ReadonlyArray<Row>): void => {
    done += length
    onProgress(done, 2 * rowsIn(counts))
  }
  const digests = { accounts: 0n, tokens: 0n, settings: 0n, triggers: 0n }
  for (const table of tables) {
    for await (const rows of batchesIn(from, table)) {
      digests[table] ^= digestOf(rows)
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)))})
        values ${sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`))}`.execute(to)
      step(rows)
    }
  }
  const copied = await countsOf(to)
  for (const table of tables) {
    for await (const rows of batchesIn(to, table)) {
      digests[table] ^= digestOf(rows)
      step(rows)
    }
    // A reading may go by an index, and would miss what a damaged one misses; the counts do not.
    if (digests[table] !== 0n || copied[table] !== counts[table])
      return E.left(Failure.external(new Error(`the copy of ${table} is not what was read, so nothing was copied`)))
  }
  return E.right(counts)
}

/** The usual suggestion, to migrate it, would take away the state for which an operator may make the copy. */
const asItIs = (url: RegistryUrl, older: Unavailable): Unavailable => {
  const program = url.engine === 'SQLite' ? '`sqlite3 -readonly FILE ".backup COPY"`' : '`pg_dump`'
  return unavailable(
    older.why,
    `Its own canopy command, or ${program}, backs it up as it is. To copy it to this version, bring a duplicate to this version first`,
  )
}

const openSource = (url: RegistryUrl): TE.TaskEither<Unavailable, ReadDatabase> =>
  pipe(
    openDatabase(url, patient),
    TE.mapLeft((problem) => (problem.isOlder === true ? asItIs(url, problem) : problem)),
  )

/** What is damaged may lack rows, and a newer version may have tables that this one does not know: the copy would lack them. */
const sourceProblem = async (url: RegistryUrl, { db, damage }: ReadDatabase) => {
  if ((await schemaVersion(db)) === 'extended') return ofAnotherVersion(describe(url), 'newer')
  const found = await damage()
  if (E.isLeft(found)) return found.left
  const [first] = found.right
  return first === undefined
    ? undefined
    : unavailable(`${describe(url)} is damaged, so it is not copied: ${first}`, 'Restore an older copy')
}

/** An older registry is brought to this version, which is for good, only where all that it holds is replaced. */
const openTarget = (url: RegistryUrl, replace: boolean) =>
  pipe(
    TE.fromTask(problemOf(url)),
    TE.flatMap((problem) => (problem?.isOlder === true && !replace ? TE.left(problem) : TE.right(undefined))),
    TE.flatMap(() => openMigrated(url, veryPatient)),
    TE.mapLeft(({ why, cause, suggestion = '' }) =>
      unavailable(
        why,
        `${suggestion}${suggestion && '. '}Nothing was copied: the target must be a registry of this version, or a place where nothing is`,
        cause,
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
    openSource(from),
    (source) =>
      answering(async (): Promise<E.Either<Unavailable | NotEmpty | Failure.External, Counts>> => {
        const problem = await sourceProblem(from, source)
        if (problem !== undefined) return E.left(problem)
        const target = await openTarget(to, replace)()
        if (E.isLeft(target)) return target
        const copied = await inTransaction(
          target.right.db,
          async (tx): Promise<E.Either<NotEmpty | Failure.External, Counts>> => {
            const rows = await countsOf(tx)
            if (!replace && rowsIn(rows) > 0) return E.left({ error: 'registry not empty', place: describe(to), rows })
            for (const table of [...tables].reverse()) await tx.deleteFrom(table).execute()
            return source.snapshot((db) => copyRows(db, tx, onProgress))
          },
        )()
        await closing(target.right)()
        return copied
      }),
    (source) => TE.fromTask(closing(source)),
  )
