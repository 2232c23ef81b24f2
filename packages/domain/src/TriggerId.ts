import type * as O from 'fp-ts/lib/Option.js'
import * as Name from './Name.js'
import { secretCodec } from './textCodec.js'

/** The identifier of a trigger. A secret: it is the only credential of a peek. Has the invariants of a {@link Name.Name}. */
export type TriggerId = Name.Name & { readonly TriggerId: unique symbol }

export const is = (u: unknown): u is TriggerId => Name.is(u)

/** Parses one raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = Name.fromRawSegment as (raw: string) => O.Option<TriggerId>

export const codec = secretCodec('TriggerId', is, Name.wanted)
