import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'

/**
 * The value of a trigger: a JSON object with a string `type`; its other fields depend on the type. Kept as JSON text, so that
 * clients receive every digit and the order of the fields unchanged.
 */
export interface TriggerValue {
  readonly type: string
  readonly json: string
}

const WithType = t.type({ type: t.string })
const Fields = t.type({ type: t.string, json: t.string })

/** Left: a message about the text. */
export const fromJson = (json: string): E.Either<string, TriggerValue> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(json),
      () => 'a trigger value must be JSON',
    ),
    E.filterOrElse(t.UnknownRecord.is, () => 'a trigger value must be a JSON object'),
    E.filterOrElse(WithType.is, () => 'a trigger value must have a "type" field that is a string'),
    E.map(({ type }) => ({ type, json })),
  )

const is = (u: unknown): u is TriggerValue =>
  Fields.is(u) &&
  pipe(
    fromJson(u.json),
    E.exists(({ type }) => type === u.type),
  )

export const codec: t.Type<TriggerValue, string, unknown> = new t.Type(
  'TriggerValue',
  is,
  (u, context) =>
    pipe(
      typeof u === 'string' ? fromJson(u) : E.left('a trigger value must be JSON text'),
      E.match((message) => t.failure(u, context, message), t.success<TriggerValue>),
    ),
  ({ json }) => json,
)
