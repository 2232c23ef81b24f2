import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { close, type Database, inTransaction, type ReadDatabase, tryQuery } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import type { Limits } from '../postgresqlPool.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import { sha256Hex } from '../rows.js'
import { operatorTables, type Schema, schemaVersion, wrongVersion } from '../Schema.js'
import { type Unavailable, unavailable } from '../Unavailable.js'
import { commandLimits, findProblem, openMigrated } from './RegistryWriter.js'

type Table = (typeof operatorTables)[number]

/** Rows per table. */
export type Counts = Readonly<Record<Table, number>>

/** A copy would delete the rows of the target. */
export interface NotEmpty {
  readonly error: 'registry not empty'
  readonly place: string
  readonly rows: Counts
}

export interface CopyOptions {
  /** Deletes all rows of the target first. */
  readonly replace: boolean
  /** Counts each row twice: when it is copied and when the copy is checked. */
  readonly onProgress: (done: number, total: number) => void
}

type Row = Readonly<Record<string, string | number | null>>

const rowsOf = ({ db, batches }: Database, table: Table) => batches(db, db.selectFrom(table).selectAll().$castTo<Row>())

/** One statement may delete a whole table. */
const copyLimits: Limits = { ...commandLimits, statementTimeoutMs: 600_000 }

const countsOf = async (db: Kysely<Schema>): Promise<Counts> => {
  const counts = { accounts: 0, tokens: 0, settings: 0, rules: 0, triggers: 0 }
  for (const table of operatorTables) {
    const { rows } = await sql<{ n: number | string }>`select count(*) as n from ${sql.table(table)}`.execute(db)
    counts[table] = Number(rows[0]?.n)
  }
  return counts
}

const rowCountOf = (counts: Counts): number => operatorTables.reduce((sum, table) => sum + counts[table], 0)

/** XOR of the hashes of all rows, which are unique. Ignores their order, because collations differ. */
const digestOf = (rows: ReadonlyArray<Row>): bigint =>
  rows.reduce((sum, row) => sum ^ BigInt(`0x${sha256Hex(JSON.stringify(row, Object.keys(row).sort()))}`), 0n)

/** Reads the copied rows again, and fails if they differ from the source. */
const copyRows = async (from: Database, to: Database, onProgress: CopyOptions['onProgress']) => {
  const counts = await countsOf(from.db)
  let done = 0
  const step = ({ length }: ReadonlyArray<Row>): void => {
    done += length
    onProgress(done, 2 * rowCountOf(counts))
  }
  const digests = { accounts: 0n, tokens: 0n, settings: 0n, rules: 0n, triggers: 0n }
  for (const table of operatorTables) {
    for await (const rows of rowsOf(from, table)) {
      digests[table] ^= digestOf(rows)
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)))})
        values ${sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`))}`.execute(to.db)
      step(rows)
    }
  }
  const copied = await countsOf(to.db)
  for (const table of operatorTables) {
    for await (const rows of rowsOf(to, table)) {
      digests[table] ^= digestOf(rows)
      step(rows)
    }
    // A damaged index can hide rows from both reads. The counts reveal it.
    if (digests[table] !== 0n || copied[table] !== counts[table])
      return E.left(Failure.external(new Error(`the copy of ${table} did not match the source, so it was rolled back`)))
  }
  return E.right(counts)
}

/** Replaces the usual hint: a migration would change the state that the operator wants to keep. */
const withBackupHint = (url: RegistryUrl, older: Unavailable): Unavailable => {
  const program = url.engine === 'SQLite' ? '`sqlite3 -readonly FILE ".backup COPY"`' : '`pg_dump`'
  return unavailable(
    older.reason,
    `To back it up as is, use the version of canopy that created it, or ${program}. To copy it into a registry of this version, migrate a copy of it first`,
  )
}

const openSource = (url: RegistryUrl): TE.TaskEither<Unavailable, ReadDatabase> =>
  pipe(
    openDatabase(url, commandLimits),
    TE.mapLeft((problem) => (problem.isOlder === true ? withBackupHint(url, problem) : problem)),
  )

/** A copy would lack the rows of a damaged registry, and the unknown tables of a newer one. */
const sourceProblem = async (url: RegistryUrl, { db, damage }: ReadDatabase) => {
  if ((await schemaVersion(db)) === 'extended') return wrongVersion(describe(url), 'newer')
  const found = await damage()
  if (E.isLeft(found)) return found.left
  const [first] = found.right
  return first === undefined
    ? undefined
    : unavailable(`${describe(url)} is damaged, so it was not copied: ${first}`, 'Restore an older backup')
}

/** A migration cannot be undone: it runs only on a target whose rows are replaced anyway. */
const openTarget = (url: RegistryUrl, replace: boolean) =>
  pipe(
    TE.fromTask(findProblem(url)),
    TE.flatMap((problem) => (problem?.isOlder === true && !replace ? TE.left(problem) : TE.right(undefined))),
    TE.flatMap(() => openMigrated(url, copyLimits)),
    TE.mapLeft(({ reason, cause, hint = '' }) =>
      unavailable(reason, `${hint}${hint && '. '}Nothing was copied`, cause),
    ),
  )

/**
 * Copies a snapshot of a registry in one transaction, while servers and commands use the source. Creates the target if it is
 * missing.
 */
export const copyRegistry = (
  from: RegistryUrl,
  to: RegistryUrl,
  { replace, onProgress }: CopyOptions,
): TE.TaskEither<Unavailable | NotEmpty | Failure.External, Counts> =>
  TE.bracket(
    openSource(from),
    (source) =>
      tryQuery(async (): Promise<E.Either<Unavailable | NotEmpty | Failure.External, Counts>> => {
        const problem = await sourceProblem(from, source)
        if (problem !== undefined) return E.left(problem)
        const target = await openTarget(to, replace)()
        if (E.isLeft(target)) return target
        const copied = await inTransaction(
          target.right.db,
          async (tx): Promise<E.Either<NotEmpty | Failure.External, Counts>> => {
            const rows = await countsOf(tx)
            if (!replace && rowCountOf(rows) > 0)
              return E.left({ error: 'registry not empty', place: describe(to), rows })
            for (const table of [...operatorTables].reverse()) await tx.deleteFrom(table).execute()
            return source.snapshot((db) => copyRows({ ...source, db }, { ...target.right, db: tx }, onProgress))
          },
        )()
        await close(target.right)()
        return copied
      }),
    (source) => TE.fromTask(close(source)),
  )
