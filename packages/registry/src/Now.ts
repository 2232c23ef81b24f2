import { U64 } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

/** Unix time in seconds. */
export type Now = () => U64.U64

export const systemNow: Now = () => U64.clamp(BigInt(Math.floor(Date.now() / 1000)))

/** `expires` is the first second in which a thing is no longer valid. */
export const hasExpired = (now: Now, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && now() >= expires.value
