import { Envelope, type Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Received } from './exchange.js'
import { statusOf } from './Failure.js'
import { exactNumber, readJson } from './readJson.js'
import { retryAfterSeconds } from './retryAfterSeconds.js'
import type { RefusalName, TransportFailure, UnexpectedAnswer } from './TransportFailure.js'

type AnswerName = RefusalName | Failure.FailureName

const refusals: { readonly [Name in RefusalName]: null } = {
  'bad request': null,
  'no such route': null,
  'method not allowed': null,
  'too many requests': null,
  overloaded: null,
}

// Any other name is dropped: a text that nobody knows could hold anything.
const envelopes = t.union([Envelope.errorCodec, t.type({ type: t.literal('error'), error: t.keyof(refusals) })])

const nameIn = (received: Received): O.Option<AnswerName> =>
  pipe(
    readJson(exactNumber)(received),
    E.flatMap(({ json }) => envelopes.decode(json)),
    O.fromEither,
    O.map(({ error }) => error),
  )

const unexpected = (received: Received, name: O.Option<AnswerName>): UnexpectedAnswer => {
  const seconds = retryAfterSeconds(received)
  return {
    error: 'transport',
    reason: 'unexpected answer',
    status: received.status,
    ...(O.isSome(name) ? { name: name.value } : {}),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  }
}

/** A failure of an operation is one of its names, with the status of that name. */
const failureOf =
  <F extends { readonly error: Failure.FailureName }>(column: ReadonlyArray<F['error']>) =>
  (received: Received): F | UnexpectedAnswer => {
    const name = nameIn(received)
    const failure = pipe(
      name,
      O.flatMap((given) => O.fromNullable(column.find((each) => each === given))),
      O.filter((each) => statusOf[each] === received.status),
    )
    return O.isSome(failure) ? ({ error: failure.value } as F) : unexpected(received, name)
  }

/** What an answer says: the value, a failure of the operation's column of part 7, or neither. */
export const answerOf =
  <F extends { readonly error: Failure.FailureName }, A>(
    column: ReadonlyArray<F['error']>,
    read: (received: Received) => E.Either<TransportFailure, A>,
  ) =>
  (received: Received): E.Either<F | TransportFailure, A> =>
    received.status === 200 ? read(received) : E.left(failureOf<F>(column)(received))
