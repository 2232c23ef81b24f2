import * as fc from 'fast-check'

const surrogates = 0x800

/**
 * Any character of Unicode. For the unit of `fc.string`, whose own unit `binary` builds a table of them all first:
 * most of a second in every process that loads it.
 */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + surrogates))
