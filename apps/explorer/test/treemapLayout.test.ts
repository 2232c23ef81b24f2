import type { DirectoryItem } from '@canopy/client'
import { expect, it } from 'vitest'
import type { DirectoryTree } from '../src/DirectoryTree.js'
import { blocksOf, placeBlocks, sumBytes } from '../src/treemapLayout.js'

/** The layout asks the tree for directories alone. */
const noDirectories = { find: () => undefined } as unknown as DirectoryTree

it('the map of sizes divides 100,000 files of one size into many blocks', () => {
  const file = {
    is_file: true,
    size: 5n,
    last_modified: 0n,
    visibility: { inherited: true, visibility: 'public' },
  } as const
  const fileAt = (_: unknown, index: number): DirectoryItem => ({ name: String(index).padStart(6, '0'), ...file })
  const place = { view: { as: 'visitor', user: '1' }, names: [] } as const
  const items = Array.from({ length: 100_000 }, fileAt)
  const blocks = blocksOf({ place, node: undefined, items, complete: true, failure: undefined }, noDirectories)
  const areas = placeBlocks(blocks).map(({ width, height }) => width * height)
  expect(blocks.length).toBeGreaterThan(20)
  expect(sumBytes(blocks)).toBe(500_000n)
  expect(blocks.reduce((count, { others }) => count + (others?.count ?? 1), 0)).toBe(100_000)
  expect(Math.max(...areas) / areas.reduce((sum, area) => sum + area, 0)).toBeLessThan(0.1)
})
