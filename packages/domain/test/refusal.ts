import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'

/** What a codec says about a value that it refuses. */
export const refusal = <A, Output>(codec: t.Type<A, Output, unknown>, value: unknown): ReadonlyArray<string> => {
  const decoded = codec.decode(value)
  return E.isLeft(decoded) ? decoded.left.map(({ message }) => message ?? '(no message)') : []
}
