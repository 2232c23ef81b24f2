import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { spelling } from '../../testkit/src/arbitraries/names.js'
import { malformedTrigger, triggerId } from '../../testkit/src/arbitraries/values.js'
import * as TriggerId from '../src/TriggerId.js'
import { brokenRoundTrip, refusal } from './roundTrip.js'

describe('a trigger id is what a path segment can be', () => {
  it('decodes what it encodes', () => {
    expect(brokenRoundTrip(TriggerId.codec, triggerId)).toBeNull()
  })

  it('is percent-decoded once, strictly', () => {
    fc.assert(
      fc.property(triggerId, spelling, (id, spell) => {
        expect(TriggerId.fromRawSegment(spell(id))).toStrictEqual(O.some(id))
      }),
    )
  })

  it('is none when it is malformed', () => {
    fc.assert(
      fc.property(malformedTrigger, (raw) => {
        expect(TriggerId.fromRawSegment(raw)).toStrictEqual(O.none)
      }),
    )
  })

  it('the codec says what it must be', () => {
    expect(refusal(TriggerId.codec, 'a/b')).toStrictEqual([
      'must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."',
    ])
  })

  it('is a secret: a refused text is not repeated', () => {
    expect(JSON.stringify(TriggerId.codec.decode('secret/secret'))).not.toContain('secret')
  })
})
