import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { checkSchema } from '../checkSchema.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import { describe, type PostgresqlUrl } from '../RegistryUrl.js'
import type { Schema } from '../Schema.js'
import { reasonOf, type Unavailable, unavailable } from '../Unavailable.js'
import { usable } from '../usable.js'
import * as PostgresqlOptions from './PostgresqlOptions.js'
import { readPostgresql } from './readPostgresql.js'

const isReadOnly = async (db: Kysely<Schema>): Promise<boolean> => {
  const { rows } = await sql<{ setting: string }>`
    select current_setting('default_transaction_read_only') as setting`.execute(db)
  return rows[0]?.setting === 'on'
}

/** A connection pooler in between may drop the settings of a session. */
const checkReadOnly = (db: Kysely<Schema>, place: string, onFailure: (cause: unknown) => Unavailable) =>
  pipe(
    TE.tryCatch(() => isReadOnly(db), onFailure),
    TE.filterOrElse(
      (readOnly) => readOnly,
      () =>
        unavailable(
          `${place} does not keep a session read-only. Connect to PostgreSQL directly, ` +
            'or let the pooler pass on the parameter "options"',
        ),
    ),
  )

/** For reading: the tables must be there, and of this version. */
export const openPostgresql = (
  url: PostgresqlUrl,
  options: Partial<PostgresqlOptions.PostgresqlOptions>,
): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  const onFailure = (cause: unknown) => unavailable(`${place} does not answer: ${reasonOf(cause)}`, cause)
  return pipe(
    TE.right(readPostgresql(url.connectionString, { ...PostgresqlOptions.prompt, ...options })),
    TE.flatMap(
      usable(({ db }) =>
        pipe(
          checkReadOnly(db, place, onFailure),
          TE.flatMap(() => checkSchema(db, place, onFailure)),
        ),
      ),
    ),
  )
}
