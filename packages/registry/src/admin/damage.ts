import type { Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { attempt } from '../attempt.js'
import type { Schema } from '../Schema.js'

/** The first thing that is wrong with a SQLite file: an index that is damaged hides rows that are there. */
export const damage = (db: Kysely<Schema>): TE.TaskEither<Failure.External, ReadonlyArray<string>> =>
  pipe(
    attempt(() => sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)),
    TE.map(({ rows }) => rows.map(({ integrity_check }) => integrity_check).filter((said) => said !== 'ok')),
  )
