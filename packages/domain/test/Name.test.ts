import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { character, name, spelling } from '../../testkit/src/arbitraries/names.js'
import * as Name from '../src/Name.js'

const { compare, equals } = Name.byBytes

it.each([
  ['255 bytes', 'x'.repeat(255)],
  ['255 bytes in 128 characters', `${'\u00e9'.repeat(127)}x`],
  ['252 bytes in 63 characters beyond U+FFFF', '\u{1f600}'.repeat(63)],
  ['three points', '...'],
  ['a space', ' '],
  ['a newline', '\n'],
  ['a backslash', '\\'],
  ['a percent sign', '%2F'],
  ['a byte order mark', '\ufeff'],
  ['a word of JavaScript', '__proto__'],
])('a name is 1 to 255 bytes of UTF-8: %s', (_, text) => {
  expect(Name.fromString(text)).toStrictEqual(O.some(text))
})

it('a segment of a request target is decoded once, however it is spelled', () => {
  fc.assert(
    fc.property(name, spelling, (text, spell) => {
      expect(Name.fromRawSegment(spell(text))).toStrictEqual(O.some(text))
    }),
  )
  expect(['%252F', 'a+b'].map(Name.fromRawSegment)).toStrictEqual(['%2F', 'a+b'].map(O.some))
})

const text = fc.oneof(name, fc.string({ unit: character, maxLength: 40 }))

describe('text has the length and the order of its bytes in UTF-8', () => {
  it('as Buffer measures them', () => {
    fc.assert(fc.property(text, (x) => Name.utf8Length(x) === Buffer.byteLength(x)))
    const bounds = ['\u007f', '\u0080', '\u07ff', '\u0800', '\uffff', '\u{10000}']
    expect(bounds.map(Name.utf8Length)).toStrictEqual([1, 2, 2, 3, 3, 4])
  })

  it('as Buffer compares them, also after a common beginning', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(''), text), text, text, (start, x, y) => {
        const order = Buffer.compare(Buffer.from(start + x), Buffer.from(start + y))
        expect(compare(start + x, start + y)).toBe(order)
        expect(compare(start + y, start + x)).toBe(0 - order)
        expect(equals(start + x, start + y)).toBe(order === 0)
      }),
    )
  })

  it.each([
    ['U+FF5E before U+1F600, unlike JavaScript', '\uff5e', '\u{1f600}'],
    ['two characters that share their first surrogate', '\u{1f600}', '\u{1f601}'],
    ['upper case before lower case, never folded', 'A', 'a'],
    ['decomposed before composed, never normalised', 'e\u0301', '\u00e9'],
    ['a prefix before longer text', '\u{1f600}', '\u{1f600}\u0001'],
    ['after a long common beginning', `${'x'.repeat(100_000)}a`, `${'x'.repeat(100_000)}b`],
  ])('%s', (_, first, second) => {
    expect([compare(first, second), compare(second, first), compare(first, first)]).toStrictEqual([-1, 1, 0])
    expect(equals(first, second)).toBe(false)
  })
})

it('a name in JSON is written as JSON.stringify writes it', () => {
  const characters = Array.from({ length: 256 }, (_, code) => `a${String.fromCharCode(code)}`)
  for (const each of [...characters, '', 'a\n', '"', '\\'])
    expect(`"${Name.escaped(each as Name.Name)}"`).toBe(JSON.stringify(each))
  fc.assert(fc.property(name, (any) => `"${Name.escaped(any)}"` === JSON.stringify(any)))
})

it('the text just before a name precedes it, and follows every other name that precedes it', () => {
  const edges = ['a', 'ab', '\u0001', 'a\u0001', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10fffe}', '\u{10ffff}']
  const all = [...edges, 'A', '`', '`~', 'aa', 'aa~']
  const precedes = (x: string, y: string) => compare(x, y) < 0
  const check = (x: string, y: string) => {
    const before = Name.justBefore(y as Name.Name)
    expect(() => encodeURIComponent(before)).not.toThrow()
    expect([precedes(before, y), precedes(before, x) && precedes(x, y)]).toStrictEqual([true, false])
  }
  for (const x of all) for (const y of all) check(x, y)
  fc.assert(fc.property(name, name, check))
})
