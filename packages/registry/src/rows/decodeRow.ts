import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import { notWrittenByCanopy } from './notWrittenByCanopy.js'

const columnOf = (error: t.ValidationError): string => error.context.at(1)?.key ?? '(row)'

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
      E.mapLeft(notWrittenByCanopy),
    )
