import type { Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Compilable, Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import type { Schema } from '../Schema.js'

export type Query = (db: Kysely<Schema>, key: string) => Compilable<unknown>
export type Find = (key: string) => TE.TaskEither<Failure.External, ReadonlyArray<unknown>>

/** A query of one parameter, its key, compiled to SQL once: each call then only binds and runs it. */
export const compiledOnce = (db: Kysely<Schema>, query: Query): Find => {
  const compiled = query(db, '').compile()
  return (key) =>
    pipe(
      attempt(() => db.executeQuery({ ...compiled, parameters: [key] })),
      TE.map(({ rows }) => rows),
    )
}
