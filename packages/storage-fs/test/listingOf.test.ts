import { Entries } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { listingOf } from '../src/listingOf.js'
import { hasOtherNames } from '../src/otherNames.js'
import type { Found } from '../src/readerMessages.js'
import { unpacked } from './unpacked.js'

const part = (names: ReadonlyArray<string>, more: Partial<Found> = {}): Found => ({
  count: names.length,
  names: names.map((name) => Buffer.from(name).toString('latin1')).join('/'),
  numbers: new BigUint64Array(names.flatMap((_, index) => [BigInt(index), 17n])),
  otherNames: false,
  unlistable: 0,
  ...more,
})

const listed = async (parts: ReadonlyArray<Found>) => unpacked(await listingOf(parts))

const file = (name: string, size: bigint) => ({ type: 'file', name, size, last_modified: 17n })

describe('a listing', () => {
  it('is made of its parts in their order', async () => {
    expect(await listed([part(['a', 'b']), part(['c', '\u00e9'])])).toEqual({
      entries: [file('a', 0n), file('b', 1n), file('c', 0n), file('\u00e9', 1n)],
      unlistable: 0,
    })
  })

  it('of an empty directory is empty', async () => {
    expect(await listed([part([])])).toEqual({ entries: [], unlistable: 0 })
    expect(await listed([])).toEqual({ entries: [], unlistable: 0 })
  })

  it('tells a directory by a size of its own', async () => {
    const numbers = new BigUint64Array([Entries.directorySize, 0n, 2n ** 63n - 1n, 2n ** 40n])
    expect((await listed([part(['d', 'f'], { numbers })])).entries).toEqual([
      { type: 'dir', name: 'd', last_modified: 0n },
      { type: 'file', name: 'f', size: 2n ** 63n - 1n, last_modified: 2n ** 40n },
    ])
  })

  it('counts the names that are not valid UTF-8, and those that are none for the domain', async () => {
    const odd = part(['a', '\u00e9'.repeat(200)], { unlistable: 2 })
    expect(await listed([odd, part(['b'])])).toEqual({ entries: [file('a', 0n), file('b', 0n)], unlistable: 3 })
  })

  it('names what could not be looked at, with the cause of the first', async () => {
    const unknown = (names: string, code: string) => ({ names, trouble: { code, message: `${code}: lstat` } })
    const listing = await listingOf([
      part(['a']),
      part(['b'], { unknown: unknown('c/d\u00c3\u00a9', 'EIO') }),
      part([], { unknown: unknown(`e/${'\u00c3\u00a9'.repeat(200)}`, 'ENOTCONN') }),
    ])
    expect(listing.unknown?.names).toEqual(['c', 'd\u00e9', 'e'])
    expect(listing.unknown?.cause).toEqual(Object.assign(new Error('EIO: lstat'), { code: 'EIO' }))
    expect((await listingOf([part(['a'])])).unknown).toBe(undefined)
  })

  it('has other names when a file in one of its parts has', async () => {
    expect(hasOtherNames(await listingOf([part(['a']), part(['b'], { otherNames: true })]))).toBe(true)
    expect(hasOtherNames(await listingOf([part(['a']), part(['b'])]))).toBe(false)
  })
})
