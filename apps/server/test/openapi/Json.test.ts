import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Json from '../../src/openapi/Json.js'

describe('the text of JSON', () => {
  it('is that of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(Json.toText(value as Json.Json)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('has every digit of a bigint', () => {
    expect(Json.toText({ list: [2n ** 64n - 1n, -1n] })).toBe('{"list":[18446744073709551615,-1]}')
  })
})
