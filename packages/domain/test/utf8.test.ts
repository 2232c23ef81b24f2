import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { name } from '../../testkit/src/arbitraries/names.js'
import { byBytes, utf8Length } from '../src/Name.js'

const compareUtf8 = byBytes.compare

// Every character but surrogates.
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800))

const text = fc.oneof(name, fc.string({ unit: character, maxLength: 40 }))

describe('text is measured and ordered as its bytes in UTF-8 are', () => {
  it('is as long as Buffer says', () => {
    fc.assert(
      fc.property(text, (x) => {
        expect(utf8Length(x)).toBe(Buffer.byteLength(x))
      }),
    )
  })

  it.each([
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
  ])('%j takes %i bytes', (character, bytes) => {
    expect(utf8Length(character)).toBe(bytes)
  })

  it('is ordered as Buffer says', () => {
    fc.assert(
      fc.property(text, text, (x, y) => {
        expect(compareUtf8(x, y)).toBe(Buffer.compare(Buffer.from(x), Buffer.from(y)))
      }),
    )
  })

  it('is ordered as Buffer says after a common beginning', () => {
    fc.assert(
      fc.property(text, text, text, (start, x, y) => {
        expect(compareUtf8(start + x, start + y)).toBe(Buffer.compare(Buffer.from(start + x), Buffer.from(start + y)))
      }),
    )
  })

  it('is ordered however long the common beginning is', () => {
    const start = 'x'.repeat(100_000)
    expect(compareUtf8(`${start}a`, `${start}b`)).toBe(-1)
    expect(compareUtf8(start, start)).toBe(0)
  })

  it('puts U+FF5E before U+1F600, which JavaScript puts after it', () => {
    expect(compareUtf8('\uff5e', '\u{1f600}')).toBe(-1)
    expect(['\uff5e', '\u{1f600}'].sort()).toStrictEqual(['\u{1f600}', '\uff5e'])
  })

  it('tells characters apart that share their first surrogate', () => {
    expect(compareUtf8('\u{1f600}', '\u{1f601}')).toBe(-1)
    expect(compareUtf8('\u{1f601}', '\u{1f600}')).toBe(1)
  })
})
