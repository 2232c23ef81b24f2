import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'

const columnOf = (error: t.ValidationError): string => error.context.at(1)?.key ?? '(row)'

/** The registry holds what Canopy does not write, in these columns. */
export const notOurs = (columns: string): Failure.External =>
  Failure.external(new Error(`the registry holds a value that Canopy does not write, in ${columns}`))

/**
 * A row that does not decode was not written by Canopy: `external`. The cause names table and columns only, since the
 * values may be secret.
 */
export const decodeRow =
  <A>(table: string, codec: t.Type<A, unknown, unknown>) =>
  (row: unknown): E.Either<Failure.External, A> =>
    pipe(
      codec.decode(row),
      E.mapLeft((errors) => [...new Set(errors.map((error) => `${table}.${columnOf(error)}`))].join(', ')),
      E.mapLeft(notOurs),
    )
