import { type Entry, type Name, U64 } from '@canopy/domain'
import { expect, it } from 'vitest'
import { fileOf } from '../src/keys.js'
import { PackedEntries } from '../src/PackedEntries.js'

const entries: ReadonlyArray<Entry.Entry> = [
  { ...fileOf(7, new Date(1_000_000)), name: 'a' as Name.Name },
  { type: 'dir', last_modified: U64.zero, name: 'ä 🎉' as Name.Name },
  { ...fileOf(0, new Date(0)), name: 'b' as Name.Name },
  { ...fileOf(2 ** 53, new Date(8.64e15)), name: 'bb' as Name.Name },
  { ...fileOf(1e30, new Date(0)), name: 'c' as Name.Name },
]

it('packed entries are the same entries each time they are read', () => {
  const packed = new PackedEntries(entries)
  expect(packed.length).toBe(5)
  for (const _ of [1, 2]) expect([...packed]).toEqual(entries)
})

it('packed entries are found by index, from either end', () => {
  const packed = new PackedEntries(entries)
  for (const index of [-6, -5, -1, 0, 1, 4, 5]) expect(packed.at(index)).toEqual(entries.at(index))
})
