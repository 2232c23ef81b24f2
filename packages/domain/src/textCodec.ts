import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

const codecRefusing =
  (refuse: typeof t.failure) =>
  <A extends string>(name: string, is: (u: unknown) => u is A, wanted: string): t.Type<A, string, unknown> =>
    new t.Type(
      name,
      is,
      (u, context) => (is(u) ? E.right(u) : refuse(u, context, wanted)),
      (text) => text,
    )

/** Creates the codec of a type of text. `wanted` is the message of a validation failure. */
export const textCodec = codecRefusing(t.failure)

const notShown = '(not shown)'

/** A validation failure never contains the value, also not in its context, because the value may be a mistyped secret. */
export const secretCodec = codecRefusing((_, context, wanted) =>
  t.failure(
    notShown,
    context.map((entry) => ({ ...entry, actual: notShown })),
    wanted,
  ),
)
