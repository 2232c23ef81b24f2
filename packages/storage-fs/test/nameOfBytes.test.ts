import fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { nameOfBytes } from '../src/nameOfBytes.js'

// Every character but surrogates.
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800))

const bytes = (...each: ReadonlyArray<number>) => String.fromCharCode(...each)

describe('nameOfBytes', () => {
  it.each([
    ['a stray continuation byte', bytes(0x80)],
    ['a cut sequence', bytes(0x61, 0xc3)],
    ['an overlong slash', bytes(0xc0, 0xaf)],
    ['a surrogate', bytes(0xed, 0xa0, 0x80)],
    ['more than U+10FFFF', bytes(0xf4, 0x90, 0x80, 0x80)],
    ['latin1', bytes(0x63, 0x61, 0x66, 0xe9)],
    ['more than 255 bytes', 'x'.repeat(256)],
  ])('%s is no name', (_, text) => {
    expect(nameOfBytes(text)).toEqual(O.none)
  })

  it('keeps a leading U+FEFF', () => {
    expect(nameOfBytes(bytes(0xef, 0xbb, 0xbf, 0x61))).toEqual(O.some('\ufeffa'))
  })

  it('reads every name from its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 60 }), (text) => {
        fc.pre(!/[/\0]/.test(text) && text !== '.' && text !== '..')
        expect(nameOfBytes(Buffer.from(text).toString('latin1'))).toEqual(O.some(text))
      }),
    )
  })
})
