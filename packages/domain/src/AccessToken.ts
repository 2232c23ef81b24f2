import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { decodeRawSegment } from './Name.js'
import { secretCodec } from './textCodec.js'

/** A secret that opens one area: `cnp_` and 32 random bytes in base64url (43 characters). */
export type AccessToken = string & { readonly AccessToken: unique symbol }

// 43 characters carry 258 bits. The last character must leave the two surplus bits zero, so that every token has one spelling.
export const is = (u: unknown): u is AccessToken =>
  typeof u === 'string' && /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(u)

export const fromString = (s: string): O.Option<AccessToken> => (is(s) ? O.some(s) : O.none)

/** Parses one raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = (raw: string): O.Option<AccessToken> => pipe(decodeRawSegment(raw), O.flatMap(fromString))

export const codec = secretCodec('AccessToken', is, 'must be "cnp_" and 43 characters of base64url')
