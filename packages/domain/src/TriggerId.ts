import * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { refuseSecret } from './AccessToken.js'
import * as Name from './Name.js'

/** The identifier of a trigger. A secret: it is the only credential of a peek. Has the invariants of a {@link Name.Name}. */
export type TriggerId = Name.Name & { readonly TriggerId: unique symbol }

export const is = (u: unknown): u is TriggerId => Name.is(u)

/** Parses one raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = Name.fromRawSegment as (raw: string) => O.Option<TriggerId>

export const codec: t.Type<TriggerId, string, unknown> = new t.Type(
  'TriggerId',
  is,
  (u, context) => (is(u) ? E.right(u) : refuseSecret(context, Name.wanted)),
  (id) => id,
)
