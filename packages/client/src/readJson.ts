import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { LosslessNumber, parse } from 'lossless-json'
import type { Received } from './exchange.js'
import { type NotJson, notJson, type WrongShape, wrongShape } from './TransportFailure.js'

/** Integers of at most 20 digits, which hold every u64, as bigint; any other number as its text. */
export const exactNumber = (text: string): bigint | LosslessNumber =>
  /^(0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : new LosslessNumber(text)

const decodeUtf8 = (bytes: ArrayBuffer): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

export const nestedTooDeeply = 'nested too deeply'

export interface Json {
  readonly text: string
  readonly json: unknown
}

/** A body as text and as JSON. A name that stands twice means its last value, as JSON.parse has it. */
export const readJson =
  (parseNumber: (text: string) => unknown) =>
  ({ status, bytes }: Received): E.Either<NotJson | WrongShape, Json> =>
    pipe(
      E.tryCatch(
        () => decodeUtf8(bytes),
        () => notJson(status),
      ),
      E.flatMap((text) =>
        E.tryCatch(
          () => ({ text, json: parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) }),
          // Else nesting has exhausted the stack, which browsers have different errors for.
          (thrown) => (thrown instanceof SyntaxError ? notJson(status) : wrongShape(status, nestedTooDeeply)),
        ),
      ),
    )
