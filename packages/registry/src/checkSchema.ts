import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import type { Schema } from './Schema.js'
import { type SchemaVersion, schemaVersion } from './schemaVersion.js'
import { type Unavailable, unavailable } from './Unavailable.js'

const whatToDo: { readonly [Version in Exclude<SchemaVersion, 'current'>]: string } = {
  none: 'holds no registry. A canopy command makes one, for example: canopy account create',
  older: 'was made by an older Canopy. A canopy command of this version updates it, for example: canopy account list',
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
      version === 'current' ? TE.right(undefined) : TE.left(unavailable(`${place} ${whatToDo[version]}`)),
    ),
  )
