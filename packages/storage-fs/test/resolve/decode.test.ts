import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nameOfBytes } from '../../src/resolve/decode.js'
import { at, dir, file, fileNode, temporaryArea, unpacked } from '../temporaryArea.js'

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

it.each([
  ['of 1.999999999 s', '1.999999999', 1n],
  ['of 0.999999999 s', '0.999999999', 0n],
  ['of -0.5 s', '-0.5', 0n],
  ['of 1960', '-315619200', 0n],
  ['of 2038', '2147483648', 2_147_483_648n],
  ['of 2106', '4294967296.25', 4_294_967_296n],
  ['of 2^63-1 s, which Node gives as -2^63', '9223372036854775807', 2n ** 63n - 1n],
  ['of 2^63-512 s, the first that Node gives as -2^63', '9223372036854775296', 2n ** 63n - 1n],
  ['of 2^63-513 s, to the nearest that Node gives', '9223372036854775295', 2n ** 63n - 1024n],
  ['of 2^53 s', '9007199254740992', 2n ** 53n],
  ['of the year 2262, where nanoseconds pass 2^63', '9223372037', 9_223_372_037n],
  ['of -2^63 s', '-9223372036854775808', 0n],
])('last_modified: %s', async (_, seconds, last_modified) => {
  // A file system whose times have 64 bits.
  const { ports, area, directory, close } = await temporaryArea([file('f'), dir('d')], { above: '/dev/shm' })
  onTestFinished(close)
  execFileSync('touch', ['-d', `@${seconds}`, join(directory, 'f'), join(directory, 'd')])
  expect(await ports.nodeAt(area, at('/f'))()).toEqual(E.right({ ...fileNode(1n), last_modified }))
  expect(await ports.nodeAt(area, at('/d'))()).toEqual(E.right({ type: 'dir', last_modified }))
  const entries = ['d', 'f'].map((name) => expect.objectContaining({ name, last_modified }))
  expect(E.map(unpacked)(await ports.list(area, at('/'))())).toMatchObject({ right: { entries } })
})

it('a size is exact, however large', async () => {
  // The largest sparse file, in a file system in memory.
  const size = 2n ** 63n - 1n
  const { ports, area, close } = await temporaryArea([file('f', size)], { above: '/dev/shm' })
  const node = await ports.nodeAt(area, at('/f'))()
  const listing = E.map(unpacked)(await ports.list(area, at('/'))())
  await close()
  expect(node).toEqual(E.right(fileNode(size)))
  expect(listing).toEqual(E.right({ entries: [{ ...fileNode(size), name: 'f' }], unlistable: 0 }))
})
