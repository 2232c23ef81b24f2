import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { name, spelling } from '../../testkit/src/arbitraries/names.js'
import * as Name from '../src/Name.js'
import { refusal } from './refusal.js'

describe('a name is 1 to 255 bytes of UTF-8', () => {
  it.each([
    ['255 bytes', 'x'.repeat(255)],
    ['255 bytes in 128 characters', `${'é'.repeat(127)}x`],
    ['252 bytes in 63 characters beyond U+FFFF', '😀'.repeat(63)],
    ['three points', '...'],
    ['a space', ' '],
    ['a newline', '\n'],
    ['a backslash', '\\'],
    ['a percent sign', '%2F'],
    ['a byte order mark', '\ufeff'],
    ['a word that JavaScript keeps for itself', '__proto__'],
  ])('%s', (_, text) => {
    expect(Name.fromString(text)).toStrictEqual(O.some(text))
  })

  it.each([
    ['nothing', ''],
    ['256 bytes', 'x'.repeat(256)],
    ['256 bytes in 128 characters', 'é'.repeat(128)],
    ['256 bytes in 64 characters beyond U+FFFF', '😀'.repeat(64)],
    ['.', '.'],
    ['..', '..'],
    ['a slash', 'a/b'],
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
    ['surrogates in the wrong order', '\ude00\ud83d'],
  ])('is not: %s', (_, text) => {
    expect(Name.fromString(text)).toStrictEqual(O.none)
    expect(refusal(Name.codec, text)).toStrictEqual([
      'must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."',
    ])
  })

  it.each([1, null, undefined, ['a']])('is not: %j', (u) => {
    expect(Name.is(u)).toBe(false)
  })
})

describe('a segment of a request target is percent-decoded once, strictly', () => {
  it('names the same however it is spelled', () => {
    fc.assert(
      fc.property(name, spelling, (text, spell) => {
        expect(Name.fromRawSegment(spell(text))).toStrictEqual(O.some(text))
      }),
    )
  })

  it('is not decoded twice', () => {
    expect(Name.fromRawSegment('%252F')).toStrictEqual(O.some('%2F'))
  })

  it('leaves a plus sign alone', () => {
    expect(Name.fromRawSegment('a+b')).toStrictEqual(O.some('a+b'))
  })
})

describe('names compare by bytes', () => {
  it('never normalises: composed and decomposed are two names', () => {
    expect(Name.byBytes.equals('\u00e9', 'e\u0301')).toBe(false)
    expect(Name.byBytes.compare('\u00e9', 'e\u0301')).not.toBe(0)
  })

  it('never folds case', () => {
    expect(Name.byBytes.equals('a', 'A')).toBe(false)
    expect(Name.byBytes.compare('A', 'a')).toBe(-1)
  })

  it('is a total order', () => {
    fc.assert(
      fc.property(name, name, name, (x, y, z) => {
        const { compare, equals } = Name.byBytes
        expect(compare(x, y) === 0).toBe(equals(x, y))
        expect(compare(x, y) + compare(y, x)).toBe(0)
        expect([x, y, z].sort(compare)).toStrictEqual(
          [x, y, z].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
        )
      }),
    )
  })
})

describe('a name in JSON', () => {
  it('is written as JSON.stringify writes it: each character up to U+00FF, two lines, and any name', () => {
    const characters = Array.from({ length: 256 }, (_, code) => `a${String.fromCharCode(code)}`)
    for (const text of [...characters, '', 'a\n', '"', '\\'])
      expect(Name.json(text as Name.Name)).toBe(JSON.stringify(text))
    fc.assert(fc.property(name, (any) => Name.json(any) === JSON.stringify(any)))
  })
})
