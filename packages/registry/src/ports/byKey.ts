import type { Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Compilable, Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import type { Schema } from '../Schema.js'
import { rememberedRows } from './rememberedRows.js'

/**
 * A query of one parameter, its key, compiled to SQL once: each request then only binds and runs it, and not even that
 * while nothing has changed.
 */
export const byKey = (
  { db, version }: ReadDatabase,
  query: (db: Kysely<Schema>, key: string) => Compilable<unknown>,
): ((key: string) => TE.TaskEither<Failure.External, ReadonlyArray<unknown>>) => {
  const compiled = query(db, '').compile()
  return rememberedRows(version, (key) =>
    pipe(
      attempt(() => db.executeQuery({ ...compiled, parameters: [key] })),
      TE.map(({ rows }) => rows),
    ),
  )
}
