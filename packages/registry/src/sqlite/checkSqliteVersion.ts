import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../Schema.js'
import { type Unavailable, unavailable } from '../Unavailable.js'

/** Below it two processes that write and checkpoint at once in WAL mode can lose commits. */
const oldest = [3, 51, 3]

export const isSafeVersion = (version: string): boolean => {
  const parts = version.split('.').map(Number)
  const at = oldest.findIndex((part, i) => parts[i] !== part)
  return at === -1 || (parts[at] ?? 0) > (oldest[at] ?? 0)
}

const versionOf = async (db: Kysely<Schema>): Promise<string> => {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  return rows[0]?.version ?? ''
}

/** Refuses a driver with a SQLite that can lose what was written. */
export const checkSqliteVersion = (
  db: Kysely<Schema>,
  onFailure: (cause: unknown) => Unavailable,
): TE.TaskEither<Unavailable, string> =>
  pipe(
    TE.tryCatch(() => versionOf(db), onFailure),
    TE.filterOrElse(isSafeVersion, (version) =>
      unavailable(`SQLite ${version} can lose commits: install a driver with SQLite ${oldest.join('.')} or later`),
    ),
  )
