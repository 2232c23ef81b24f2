import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/backends/overHttp.js'

describe('the canonical text of JSON', () => {
  it.each([
    ['white space', '{"a":[1,2]}', ' { "a" :\n[ 1 , 2 ] } '],
    ['the order of fields', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['escapes', '"é/"', '"\\u00e9\\/"'],
  ])('does not distinguish %s', (_, one, other) => {
    expect(canonicalJson(one)).toEqual(canonicalJson(other))
    expect(E.isRight(canonicalJson(one))).toBe(true)
  })

  it.each([
    ['18446744073709551615', '18446744073709551616'],
    ['1.0', '1'],
    ['1', '"1"'],
    ['null', '{}'],
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":1,"b":1}'],
    ['{"__proto__":1}', '{}'],
    ['""', '"\\u0000"'],
  ])('distinguishes %s from %s', (one, other) => {
    expect(canonicalJson(one)).not.toEqual(canonicalJson(other))
  })

  it.each(['', '{', '[1,]', '{"a":1,"a":2}', '1 2', 'undefined'])('there is none of %j', (text) => {
    expect(canonicalJson(text)).toEqual(E.left('no JSON'))
  })

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(E.map((canonical: string): unknown => JSON.parse(canonical))(canonicalJson(text))).toEqual(
          E.right(JSON.parse(text)),
        )
      }),
    )
  })
})
