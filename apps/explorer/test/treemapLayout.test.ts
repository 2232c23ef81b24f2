import type { DirectoryItem } from '@canopy/client'
import { expect, it } from 'vitest'
import type { DirectoryTree } from '../src/DirectoryTree.js'
import type { Listing } from '../src/ListingLoader.js'
import { blocksOf, placeBlocks, sumBytes } from '../src/treemapLayout.js'

const place = { view: { as: 'visitor', user: '1' }, names: [] } as const

const listingOf = (sizes: ReadonlyArray<number>): Listing => {
  const items = sizes.map(
    (size, index): DirectoryItem => ({
      name: `${String(index).padStart(6, '0')}.txt`,
      is_file: true,
      size: BigInt(size),
      last_modified: 0n,
      visibility: { inherited: true, visibility: 'public' },
    }),
  )
  return { place, node: undefined, items, complete: true, failure: undefined }
}

/** The layout asks the tree for directories alone. */
const noDirectories = { find: () => undefined } as unknown as DirectoryTree

const areas = (listing: Listing): ReadonlyArray<number> =>
  placeBlocks(blocksOf(listing, noDirectories)).map(({ width, height }) => width * height)

it('the map of sizes divides 100,000 files of one size into many blocks', () => {
  const listing = listingOf(Array.from({ length: 100_000 }, () => 5))
  const blocks = blocksOf(listing, noDirectories)
  expect(blocks.length).toBeGreaterThan(20)
  expect(sumBytes(blocks)).toBe(500_000n)
  expect(blocks.reduce((count, { others }) => count + (others?.count ?? 1), 0)).toBe(100_000)
  expect(Math.max(...areas(listing)) / areas(listing).reduce((sum, area) => sum + area, 0)).toBeLessThan(0.1)
})
