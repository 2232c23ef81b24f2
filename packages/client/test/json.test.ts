import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactInteger, parseJson, parseU64 } from '../src/json.js'

const outcomeOf = (parse: () => unknown): unknown => {
  try {
    return { value: parse() }
  } catch {
    return 'not JSON'
  }
}
const parsed = (text: string) => outcomeOf(() => JSON.parse(text))
const read = (text: string) => outcomeOf(() => parseJson(text, Number).value)

/** JSON with a part repeated, removed or replaced. */
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
  it('is parsed or refused as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), almostJson), (text) => {
        expect(read(text)).toEqual(parsed(text))
      }),
      { numRuns: 3000 },
    )
    const odd = ['1\u00a0', '\ufeff1', '"\t"', '"\\x"', '"\\u12"', '1E400', '-0', '{"a":1,"a":2}', '"\ud800"']
    for (const text of odd) expect([text, read(text)]).toEqual([text, parsed(text)])
  })

  it('may have a member `__proto__`, without effect on the prototype', () => {
    const { value } = parseJson('{"__proto__":{"a":1},"b":2,"__proto__":{"c":3}}', Number)
    expect(Object.entries(value ?? {})).toEqual([
      ['__proto__', { c: 3 }],
      ['b', 2],
    ])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('has at most 1,000 levels', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(read(nested(1000))).toEqual(parsed(nested(1000)))
    expect(read(nested(1001))).toBe('not JSON')
  })
})

it.each<[string, typeof parseU64, Readonly<Record<string, number | bigint>>]>([
  [
    'of a node is a bigint if it may be a u64',
    parseU64,
    { 0: 0n, '99999999999999999999': 99999999999999999999n, '1.0': 1, '100000000000000000000': 1e20 },
  ],
  [
    'of a trigger is a bigint if a number would round it',
    parseExactInteger,
    {
      0: 0,
      '9007199254740992': 9007199254740992n,
      '-9007199254740993': -9007199254740993n,
      '123456789012345678901234567890': 123456789012345678901234567890n,
      '1.00': 1,
      [`1${'0'.repeat(100_000)}`]: Number.POSITIVE_INFINITY,
    },
  ],
])('a number %s', (_, parseNumber, numbers) => {
  for (const [text, number] of Object.entries(numbers)) expect(parseJson(text, parseNumber).value).toBe(number)
})

describe('the source of a member', () => {
  const space = fc.constantFrom('', ' ', '\n', '\t\r\n')
  const other = fc.oneof(
    fc.json(),
    fc.constantFrom('"}"', '"\\""', '"\\\\"', '{"value":1}', '[["]"]]', '-1.0e5', 'null', '{}', '[]'),
  )
  const sourceOf = (text: string): string => parseJson(text, Number).sourceOf('value')

  it('is its exact text, whatever surrounds it', () =>
    fc.assert(
      fc.property(arbitraries.triggerValue, fc.array(other), fc.array(other), space, ({ json }, before, after, gap) => {
        const members = [
          ...before.map((value, index) => `"b${index}"${gap}:${gap}${value}`),
          `"value"${gap}:${gap}${json}`,
          ...after.map((value, index) => `"a${index}":${value}`),
        ]
        const text = `${gap}{${gap}${members.join(`${gap},${gap}`)}${gap}}${gap}`
        expect(JSON.parse(text)).toHaveProperty('value')
        expect(sourceOf(text)).toBe(json)
      }),
    ))

  it('belongs to the outermost object, under any spelling of its name', () => {
    expect(sourceOf(' { "a" : { "value" : 1 } } ')).toBe('')
    expect(sourceOf('{"\\u0076alue":1.50}')).toBe('1.50')
    expect(sourceOf('{"value":1,"value":2}')).toBe('2')
  })
})
