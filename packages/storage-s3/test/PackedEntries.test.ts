import type { Entry, Name } from '@canopy/domain'
import { expect, it } from 'vitest'
import { PackedEntries } from '../src/PackedEntries.js'

const listed = [
  { name: 'a' as Name.Name, file: { size: 7, modified: 1_000 } },
  { name: 'ä 🎉' as Name.Name, file: undefined },
  { name: 'b' as Name.Name, file: { size: 0, modified: 0 } },
  { name: 'bb' as Name.Name, file: { size: 2 ** 53, modified: 8.64e12 } },
  { name: 'c' as Name.Name, file: { size: 1e30, modified: 0 } },
]
const entries = [
  { type: 'file', name: 'a', size: 7n, last_modified: 1_000n },
  { type: 'dir', name: 'ä 🎉', last_modified: 0n },
  { type: 'file', name: 'b', size: 0n, last_modified: 0n },
  { type: 'file', name: 'bb', size: 2n ** 53n, last_modified: 8_640_000_000_000n },
  { type: 'file', name: 'c', size: 2n ** 64n - 1n, last_modified: 0n },
] as unknown as ReadonlyArray<Entry.Entry>

it('packed entries are the same entries each time they are read', () => {
  const packed = new PackedEntries(listed)
  expect(packed.length).toBe(5)
  for (const _ of [1, 2]) expect([...packed]).toEqual(entries)
})

it('packed entries are found by index, from either end', () => {
  const packed = new PackedEntries(listed)
  for (const index of [-6, -5, -1, 0, 1, 4, 5]) expect(packed.at(index)).toEqual(entries.at(index))
})
