import { type DirectoryItem, Envelope, TriggerValue } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import { LosslessNumber } from 'lossless-json'
import type { Received } from './exchange.js'
import { memberText } from './memberText.js'
import type { JsonObject, PeekedTrigger } from './PeekedTrigger.js'
import { exactNumber, nestedTooDeeply, readJson } from './readJson.js'
import { type NotJson, type WrongShape, wrongShape } from './TransportFailure.js'
import * as TreeNode from './TreeNode.js'

type Reading<A> = E.Either<NotJson | WrongShape, A>

/** Names of fields and numbers of elements, never what stood there. A part of a union or intersection is no field. */
const fieldOf = ([first]: t.Errors): string =>
  (first?.context ?? [])
    .filter(({ key, actual }, index, all) => key !== '' && actual !== all[index - 1]?.actual)
    .map(({ key }) => key)
    .join('.')

const decode =
  <A>(codec: t.Decoder<unknown, A>, { status }: Received) =>
  (json: unknown): E.Either<WrongShape, A> =>
    pipe(
      // Nesting beyond any real tree exhausts the stack of the decoder.
      E.tryCatch(
        () => codec.decode(json),
        () => wrongShape(status, nestedTooDeeply),
      ),
      E.flatMap(E.mapLeft((errors) => wrongShape(status, fieldOf(errors)))),
    )

const readEnvelope =
  <A>(codec: t.Decoder<unknown, A>) =>
  (received: Received): Reading<A> =>
    pipe(
      readJson(exactNumber)(received),
      E.flatMap(({ json }) => decode(codec, received)(json)),
    )

export const readTree = (received: Received): Reading<TreeNode.TreeNode> =>
  pipe(
    readEnvelope(Envelope.treeCodec)(received),
    E.map(({ content }) => TreeNode.fromDomain(content)),
  )

export const readItems = (received: Received): Reading<ReadonlyArray<DirectoryItem.DirectoryItem>> =>
  pipe(
    readEnvelope(Envelope.dirContentCodec)(received),
    E.map(({ content }) => content),
  )

export const readTrigger = (received: Received): Reading<PeekedTrigger> =>
  pipe(
    readJson((digits) => new LosslessNumber(digits))(received),
    E.flatMap(({ text, json }) =>
      pipe(
        decode(Envelope.triggerPeakCodec, received)(json),
        E.flatMap(() => decode(TriggerValue.codec, received)(O.toUndefined(memberText(text, 'value')))),
        E.map(({ type, json: valueText }) => ({
          type,
          json: valueText,
          value: (json as { readonly value: JsonObject }).value,
        })),
      ),
    ),
  )
