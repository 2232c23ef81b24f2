import { U64 } from '@canopy/domain'
import * as fc from 'fast-check'

/** Where numbers go wrong: doubles lose digits, signs turn, widths end. */
const edges = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, U64.largest]

/** From 0 to `max`, the edges below it often. */
export const u64UpTo = (max: bigint): fc.Arbitrary<U64.U64> =>
  fc
    .oneof(
      { withCrossShrink: true },
      fc.bigInt({ min: 0n, max }),
      fc.constantFrom(...edges.filter((edge) => edge <= max), max),
    )
    .map(U64.clamp)

export const u64: fc.Arbitrary<U64.U64> = u64UpTo(U64.largest)
