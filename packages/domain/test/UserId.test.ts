import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as UserId from '../src/UserId.js'
import { refusal } from './refusal.js'

describe('an account id is a u64 in canonical decimal', () => {
  it.each(['0', '42', '18446744073709551615'])('%s is one', (digits) => {
    expect(UserId.fromRawSegment(digits)).toStrictEqual(O.some(BigInt(digits)))
  })

  it.each(['042', '', 42, 42n, null])('the codec takes text only, and says what it must be: %s', (u) => {
    expect(refusal(UserId.codec, u)).toStrictEqual([
      'must be a whole number from 0 to 18446744073709551615, without leading zeros',
    ])
  })
})
