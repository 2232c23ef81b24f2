import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { expect } from 'vitest'

/** A value that its codec does not recognise, or that is another after encoding and decoding; `null` when there is none. */
export const brokenRoundTrip = <A, Output>(codec: t.Type<A, Output, unknown>, values: fc.Arbitrary<A>): [A] | null =>
  fc.check(
    fc.property(values, (value) => {
      expect(codec.is(value)).toBe(true)
      expect(codec.decode(codec.encode(value))).toStrictEqual(E.right(value))
    }),
  ).counterexample

/** What a codec says about a value that it refuses. */
export const refusal = <A, Output>(codec: t.Type<A, Output, unknown>, value: unknown): ReadonlyArray<string> => {
  const decoded = codec.decode(value)
  return E.isLeft(decoded) ? decoded.left.map(({ message }) => message ?? '(no message)') : []
}
