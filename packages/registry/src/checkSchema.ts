import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import type { Schema } from './Schema.js'
import { type SchemaVersion, schemaVersion } from './schemaVersion.js'
import { type Unavailable, unavailable } from './Unavailable.js'

const whatToDo: { readonly [Version in Exclude<SchemaVersion, 'current'>]: string } = {
  none: 'holds no registry: `canopy account create` makes one',
  older: 'was made by an older Canopy: `canopy registry migrate` of this version brings it up to date',
  newer: 'was made by a newer Canopy. Use the server and the canopy command of that version, or of a later one',
}

/** A server reads tables of its own version only. `place` is safe to print. */
export const checkSchema = (
  db: Kysely<Schema>,
  place: string,
  onFailure: (cause: unknown) => Unavailable,
): TE.TaskEither<Unavailable, void> =>
  pipe(
    TE.tryCatch(() => schemaVersion(db), onFailure),
    TE.flatMap((version) =>
      version === 'current'
        ? TE.right(undefined)
        : TE.left({ ...unavailable(`${place} ${whatToDo[version]}`), isOlder: version === 'older' }),
    ),
  )
