import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readExact, readJson, readU64 } from '../src/json.js'

const parsed = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return 'not JSON'
  }
}

const read = (text: string): unknown => {
  try {
    return { value: readJson(text, Number).json }
  } catch {
    return 'not JSON'
  }
}

/** JSON, and text that is nearly JSON: with a part of it repeated, removed or replaced. */
const almostJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ',', '"', '{', ']', '0', '-', '.', 'e', '\\', ' ', '\u0001'),
  )
  .map(([json, at, length, part]) => {
    const start = at % (json.length + 1)
    return json.slice(0, start) + part + json.slice(start + length)
  })

describe('JSON', () => {
  it('is read as JSON.parse reads it, and refused where JSON.parse refuses it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), almostJson), (text) => {
        expect(read(text)).toEqual(parsed(text))
      }),
      { numRuns: 3000 },
    )
  })

  const texts = [
    ['', ' ', 'nul', 'nulls', 'truefalse', '01', '-', '-01', '+1', '.5', '1.', '1e', '1e+', '0x1', 'NaN', 'Infinity'],
    ['[1,]', '[,1]', '[1 2]', '{"a":1,}', '{"a"}', '{"a":}', '{a:1}', "{'a':1}", '{"a":1 "b":2}', '[', '{', '"', '"\\'],
    [
      '"\\x"',
      '"\\u12"',
      '"\t"',
      '"\u0000"',
      '"a\nb"',
      '\ufeff1',
      '1\u00a0',
      '[1]]',
      '{}{}',
      '// 1',
      '"\\u{1}"',
      ']',
      '}',
    ],
    [' [ 1 , -0.5e-3 , "\\u00e9\\ud83d\\ude00\\"\\\\\\/" , { "a" : [ ] , "" : { } } , null , true , false ] \r\n\t'],
    ['1E400', '-0', '123456789012345678901234567890', '{"a":1,"a":2}', '"\ud800"', '{"constructor":1,"toString":2}'],
  ].flat()

  it.each(texts)('is read or refused as JSON.parse does: %j', (text) => {
    expect(read(text)).toEqual(parsed(text))
  })

  it('may name a member `__proto__`: it is a member like any other', () => {
    const { json } = readJson('{"__proto__":{"a":1},"b":2,"__proto__":{"c":3}}', Number)
    expect(Object.entries(json ?? {})).toEqual([
      ['__proto__', { c: 3 }],
      ['b', 2],
    ])
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
  })

  it('has at most 1,000 levels', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(read(nested(1000))).toEqual(parsed(nested(1000)))
    expect(read(nested(1001))).toBe('not JSON')
    expect(read('{"a":'.repeat(200_000))).toBe('not JSON')
  })
})

describe('a number', () => {
  it.each([
    ['0', 0n],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['99999999999999999999', 99999999999999999999n],
    ['-1', -1],
    ['1.0', 1],
    ['1e3', 1000],
    ['100000000000000000000', 1e20],
  ])('of an answer is a bigint where it may be a u64: %s', (text, number) => {
    expect(readJson(text, readU64).json).toBe(number)
  })

  it.each([
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['1.00', 1],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1E-400', 0],
    [`1${'0'.repeat(100_000)}`, Number.POSITIVE_INFINITY],
  ])('of a trigger is a bigint where a number would lose digits: %s', (text, number) => {
    expect(readJson(text, readExact).json).toBe(number)
  })
})

describe('the text of a member', () => {
  const space = fc.constantFrom('', ' ', '\n', '\t\r\n')
  const other = fc.oneof(
    fc.json(),
    fc.constantFrom('"}"', '"\\""', '"\\\\"', '{"value":1}', '[["]"]]', '-1.0e5', 'null', '{}', '[]'),
  )
  const textOf = (text: string): string => readJson(text, Number).textOf('value')

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
        expect(textOf(text)).toBe(json)
      }),
    ))

  it('is empty when the outermost object has no such member', () => {
    expect(textOf('{}')).toBe('')
    expect(textOf(' { "a" : { "value" : 1 } } ')).toBe('')
    expect(textOf('[{"value":1}]')).toBe('')
  })

  it('is found when the name is written with escapes, and is the last one of a name that stands twice', () => {
    expect(textOf('{"\\u0076alue":1.50}')).toBe('1.50')
    expect(textOf('{"value":1,"value":2}')).toBe('2')
  })
})
