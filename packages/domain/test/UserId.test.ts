import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { spelling } from '../../testkit/src/arbitraries/names.js'
import { malformedUser, userId } from '../../testkit/src/arbitraries/values.js'
import * as UserId from '../src/UserId.js'
import { brokenRoundTrip, refusal } from './roundTrip.js'

describe('an account id is a u64 in canonical decimal', () => {
  it('decodes what it encodes', () => {
    expect(brokenRoundTrip(UserId.codec, userId)).toBeNull()
  })

  it.each(['0', '42', '18446744073709551615'])('%s is one', (digits) => {
    expect(UserId.fromRawSegment(digits)).toStrictEqual(O.some(BigInt(digits)))
  })

  it('is percent-decoded once, strictly', () => {
    fc.assert(
      fc.property(userId, spelling, (id, spell) => {
        expect(UserId.fromRawSegment(spell(UserId.toDecimal(id)))).toStrictEqual(O.some(id))
      }),
    )
  })

  it('anything else is none', () => {
    fc.assert(
      fc.property(malformedUser, (raw) => {
        expect(UserId.fromRawSegment(raw)).toStrictEqual(O.none)
      }),
    )
  })

  it.each(['042', '', 42, 42n, null])('the codec takes text only, and says what it must be: %s', (u) => {
    expect(refusal(UserId.codec, u)).toStrictEqual([
      'must be a whole number from 0 to 18446744073709551615, without leading zeros',
    ])
  })
})
