import { AccessToken, UserId } from '@canopy/domain'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { page, treeBounds } from '../../src/request/query.js'
import { fromHeader } from '../../src/request/Traceparent.js'
import { exactJson } from './exactJson.js'
import { openApi } from './openApi.js'
import { satisfies } from './satisfies.js'

const accepts = (parameter: string, value: unknown): boolean =>
  satisfies(openApi.components.parameters[parameter]?.schema ?? {}, value)

/** What a whole number looks like in a query, and what does not. */
const digits = fc.oneof(
  fc.bigInt({ min: -3n, max: 10n ** 30n }).map(String),
  fc.constantFrom('0', '1', '00', '01', '1.0', '1e3', '-0', '+1', ' 1', '', 'x', '0x1'),
)

const isDecimal = (text: string): boolean => /^-?(0|[1-9][0-9]*)$/.test(text) && text !== '-0'

/** As a value of JSON, which a parameter in a query is not. */
const satisfiesAsNumber = (parameter: string, text: string): boolean =>
  isDecimal(text) && accepts(parameter, exactJson(text))

const hex = (length: number) =>
  fc
    .array(fc.nat({ max: 15 }), { minLength: length, maxLength: length })
    .map((digits16) => digits16.map((digit) => digit.toString(16)).join(''))

const trace = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-'))

describe('a parameter of the document', () => {
  it('depth is what the service takes', () => {
    fc.assert(
      fc.property(digits, (text) => {
        const taken = E.isRight(treeBounds(1)(`depth=${encodeURIComponent(text)}`))
        expect(taken).toBe(satisfiesAsNumber('depth', text))
      }),
    )
  })

  it('limit is what the service takes', () => {
    fc.assert(
      fc.property(digits, (text) => {
        const taken = E.isRight(page(`limit=${encodeURIComponent(text)}`))
        expect(taken).toBe(satisfiesAsNumber('limit', text))
      }),
    )
  })

  it('token accepts every token, and no other text', () => {
    const spoilt = fc
      .tuple(arbitraries.accessToken, fc.nat({ max: 46 }), fc.constantFrom('', 'a', '!', '=', ' ', 'aa'))
      .map(([token, at, text]) => token.slice(0, at) + text + token.slice(at + 1))
    fc.assert(
      fc.property(fc.oneof(arbitraries.accessToken, spoilt, fc.string()), (text) => {
        expect(accepts('token', text)).toBe(AccessToken.is(text))
      }),
    )
  })

  it('userid accepts every user id, and of other texts only numbers that are too large', () => {
    const text = fc.oneof(arbitraries.userId.map(UserId.toDecimal), digits, fc.string())
    fc.assert(
      fc.property(text, (id) => {
        const isUser = O.isSome(UserId.fromDecimal(id))
        expect(accepts('userid', id)).toBe(isUser || (/^[1-9][0-9]{19}$/.test(id) && BigInt(id) >= 2n ** 64n))
      }),
    )
  })

  it('traceparent accepts every trace that the service takes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          trace,
          trace.map((text) => text.toUpperCase()),
          fc.string(),
        ),
        (text) => {
          expect(O.isNone(fromHeader(text)) || accepts('traceparent', text)).toBe(true)
        },
      ),
    )
  })
})
