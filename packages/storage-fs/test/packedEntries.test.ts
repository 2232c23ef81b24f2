import { type Entry, Name, U64 } from '@canopy/domain'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directorySize, type Pack, packed } from '../src/packedEntries.js'

const size = fc.bigInt({ min: 0n, max: 2n ** 64n - 2n })
const time = fc.bigInt({ min: 0n, max: 2n ** 40n })

const node = fc.oneof(
  fc.record({ type: fc.constant('file' as const), size: size.map(U64.clamp), last_modified: time.map(U64.clamp) }),
  fc.record({ type: fc.constant('dir' as const), last_modified: time.map(U64.clamp) }),
)

const entries = fc
  .uniqueArray(arbitraries.name, { maxLength: 20 })
  .chain((names) =>
    fc.tuple(fc.constant([...names].sort(Name.byBytes.compare)), fc.array(node, { minLength: 20, maxLength: 20 })),
  )
  .map(([names, nodes]) =>
    names.flatMap(
      (each, at): ReadonlyArray<Entry.Entry> => nodes.slice(at, at + 1).map((found) => ({ ...found, name: each })),
    ),
  )

const packOf = (all: ReadonlyArray<Entry.Entry>): Pack => ({
  names: all.map((entry) => entry.name).join('/'),
  starts: Uint32Array.from(
    Array.from({ length: all.length + 1 }, (_, at) => all.slice(0, at)),
    (before) => before.reduce((length, entry) => length + entry.name.length + 1, 0),
  ),
  numbers: new BigUint64Array(
    all.flatMap((entry) => [entry.type === 'file' ? entry.size : directorySize, entry.last_modified]),
  ),
})

/** Entries in an array, and the same in packs of any length. */
const both = fc.tuple(entries, fc.integer({ min: 1, max: 8 })).map(([all, length]) => {
  const packs = Array.from({ length: Math.ceil(all.length / length) }, (_, at) =>
    packOf(all.slice(at * length, (at + 1) * length)),
  )
  return { all, entries: packed([packOf([]), ...packs, packOf([])]) }
})

describe('what is packed', () => {
  it('is what an array of the same entries is, each time it is read', () => {
    fc.assert(
      fc.property(both, ({ all, entries: held }) => {
        for (const _ of [1, 2]) expect([...held]).toStrictEqual(all)
        expect(held.length).toBe(all.length)
      }),
    )
  })

  it('has each entry at its index, also from behind, and none beyond', () => {
    fc.assert(
      fc.property(both, fc.integer({ min: -25, max: 25 }), ({ all, entries: held }, at) => {
        expect(held.at(at)).toStrictEqual(all.at(at))
      }),
    )
  })

  it('says how much memory it takes, by its entries and the length of their names', () => {
    const bytesOf = (...names: ReadonlyArray<string>) => {
      const file = { type: 'file', size: U64.zero, last_modified: U64.zero } as const
      return Number(Reflect.get(packed([packOf(names.map((name) => ({ ...file, name: name as Name.Name })))]), 'bytes'))
    }
    expect(bytesOf('a', 'b') - bytesOf('a')).toBeGreaterThan(16)
    expect(bytesOf('n'.repeat(101)) - bytesOf('n')).toBeGreaterThanOrEqual(100)
  })
})
