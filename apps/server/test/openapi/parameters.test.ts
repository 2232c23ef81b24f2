import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { pageOf, treeBounds } from '../../src/http/request.js'
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
        const taken = E.isRight(pageOf(`limit=${encodeURIComponent(text)}`))
        expect(taken).toBe(satisfiesAsNumber('limit', text))
      }),
    )
  })

  it.each(['token', 'userid', 'triggerid', 'path'])(
    '%s is any text: the service answers it, if by an error',
    (name) => {
      fc.assert(
        fc.property(fc.string({ minLength: 1 }), (text) => {
          expect(accepts(name, text)).toBe(true)
        }),
      )
    },
  )
})
