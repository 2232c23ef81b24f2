import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { memberText } from '../src/memberText.js'

const space = fc.constantFrom('', ' ', '\n', '\t\r\n')
const other = fc.oneof(
  fc.json(),
  fc.constantFrom('"}"', '"\\""', '"\\\\"', '{"value":1}', '[["]"]]', '-1.0e5', 'null', '{}', '[]'),
)

describe('the text of a member', () => {
  it('is exactly what stands in the object, whatever stands around it', () =>
    fc.assert(
      fc.property(arbitraries.triggerValue, fc.array(other), fc.array(other), space, ({ json }, before, after, gap) => {
        const members = [
          ...before.map((value, index) => `"b${index}"${gap}:${gap}${value}`),
          `"value"${gap}:${gap}${json}`,
          ...after.map((value, index) => `"a${index}":${value}`),
        ]
        const text = `${gap}{${gap}${members.join(`${gap},${gap}`)}${gap}}${gap}`
        expect(JSON.parse(text)).toHaveProperty('value')
        expect(memberText(text, 'value')).toEqual(O.some(json))
      }),
    ))

  it('is none when there is no such member', () => {
    expect(memberText('{}', 'value')).toEqual(O.none)
    expect(memberText(' { "a" : { "value" : 1 } } ', 'value')).toEqual(O.none)
  })

  it('may be a number, a word or text', () => {
    expect(memberText('{"a":1.50,"b":true,"c":"\\"}"}', 'a')).toEqual(O.some('1.50'))
    expect(memberText('{"a":1.50,"b":true,"c":"\\"}"}', 'b')).toEqual(O.some('true'))
    expect(memberText('{"a":1.50,"b":true,"c":"\\"}"}', 'c')).toEqual(O.some('"\\"}"'))
  })

  it('is the last one of a name that stands twice', () => {
    expect(memberText('{"value":1,"value":2}', 'value')).toEqual(O.some('2'))
  })
})
