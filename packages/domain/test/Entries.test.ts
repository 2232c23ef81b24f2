import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import * as Entries from '../src/Entries.js'
import type { Entry } from '../src/Entry.js'
import * as Name from '../src/Name.js'
import { name, u64 } from './literals.js'

const size = fc.bigInt({ min: 0n, max: 2n ** 64n - 2n })
const time = fc.bigInt({ min: 0n, max: 2n ** 40n })

const node = fc.oneof(
  fc.record({ type: fc.constant('file' as const), size: size.map(u64), last_modified: time.map(u64) }),
  fc.record({ type: fc.constant('dir' as const), last_modified: time.map(u64) }),
)

const entries = fc
  .uniqueArray(anyName, { maxLength: 20 })
  .chain((names) =>
    fc.tuple(fc.constant([...names].sort(Name.byBytes.compare)), fc.array(node, { minLength: 20, maxLength: 20 })),
  )
  .map(([names, nodes]) =>
    names.flatMap(
      (each, at): ReadonlyArray<Entry> => nodes.slice(at, at + 1).map((found) => ({ ...found, name: each })),
    ),
  )

const packOf = (all: ReadonlyArray<Entry>): Entries.Pack => ({
  names: all.map((entry) => entry.name).join('/'),
  starts: Uint32Array.from(
    Array.from({ length: all.length + 1 }, (_, at) => all.slice(0, at)),
    (before) => before.reduce((length, entry) => length + entry.name.length + 1, 0),
  ),
  numbers: new BigUint64Array(
    all.flatMap((entry) => [entry.type === 'file' ? entry.size : Entries.directorySize, entry.last_modified]),
  ),
})

/** Entries in an array, and the same in packs of any length. */
const both = fc.tuple(entries, fc.integer({ min: 1, max: 8 })).map(([all, length]) => {
  const packs = Array.from({ length: Math.ceil(all.length / length) }, (_, at) =>
    packOf(all.slice(at * length, (at + 1) * length)),
  )
  return { all, packed: Entries.packed([packOf([]), ...packs, packOf([])]) }
})

const index = fc.integer({ min: -25, max: 25 })

describe('what is packed', () => {
  it('is what an array of the same entries is', () => {
    fc.assert(
      fc.property(both, ({ all, packed }) => {
        expect([...packed]).toStrictEqual(all)
        expect(packed.length).toBe(all.length)
      }),
    )
  })

  it('has each entry at its index, also from behind, and none beyond', () => {
    fc.assert(
      fc.property(both, index, ({ all, packed }, at) => {
        expect(packed.at(at)).toStrictEqual(all.at(at))
      }),
    )
  })

  it('is cut as arrays are, once and again', () => {
    const range = fc.tuple(fc.option(index, { nil: undefined }), fc.option(index, { nil: undefined }))
    fc.assert(
      fc.property(both, range, range, index, ({ all, packed }, first, second, at) => {
        const [whole, cut] = [all.slice(...first).slice(...second), packed.slice(...first).slice(...second)]
        expect([...cut]).toStrictEqual(whole)
        expect([cut.length, cut.at(at), Entries.nameLength(cut)]).toStrictEqual([
          whole.length,
          whole.at(at),
          Entries.nameLength(whole),
        ])
        expect([...Entries.directories(cut)]).toStrictEqual([...Entries.directories(whole)])
      }),
    )
  })

  it('is written as arrays are: names as JSON, exact numbers, and 0 for the size of a directory', () => {
    const write: Entries.WriteEntry = (...told) => told.map(String).join(' ')
    fc.assert(
      fc.property(both, index, ({ all, packed }, from) => {
        expect(Entries.texts(packed.slice(from), write)).toStrictEqual(Entries.texts(all.slice(from), write))
        expect(Entries.texts(all, write)).toStrictEqual(
          all.map((entry) =>
            entry.type === 'file'
              ? `true ${JSON.stringify(entry.name)} ${entry.last_modified} ${entry.size}`
              : `false ${JSON.stringify(entry.name)} ${entry.last_modified} 0`,
          ),
        )
      }),
    )
  })

  it('is known as such, and nothing else is', () => {
    expect(Entries.isPacked(Entries.packed([]))).toBe(true)
    expect(Entries.isPacked(Entries.packed([]).slice())).toBe(true)
    for (const other of [[], {}, null, undefined, 'packed']) expect(Entries.isPacked(other)).toBe(false)
  })
})

describe('entries', () => {
  const all: ReadonlyArray<Entry> = [
    { type: 'dir', name: name('a'), last_modified: u64(1n) },
    { type: 'file', name: name('bc'), size: u64(2n), last_modified: u64(1n) },
    { type: 'dir', name: name('\u{1f600}'), last_modified: u64(3n) },
  ]

  it.each([
    ['in an array', all],
    ['packed', Entries.packed([packOf(all.slice(0, 2)), packOf(all.slice(2))])],
  ])('tell of their directories with their indexes, and how long their names are: %s', (_, held) => {
    expect([...Entries.directories(held)]).toStrictEqual([
      [0, all[0]],
      [2, all[2]],
    ])
    expect(Entries.nameLength(held)).toBe(5)
  })
})
