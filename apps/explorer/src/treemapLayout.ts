import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { type Directory, sizeOf } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import type { Listing } from './ListingLoader.js'

/** A rectangle of the map: an entry, or several small ones that follow each other by name. */
export interface Block {
  readonly name: string
  readonly bytes: bigint
  /** Whether `bytes` covers the whole subtree. */
  readonly isComplete: boolean
  readonly directory: Directory | undefined
  readonly others?: Others
}

/** The entries of a block from its name on. */
export interface Others {
  readonly count: number
  readonly lastName: string
}

export interface PlacedBlock {
  readonly block: Block
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export const mapWidth = 284
export const mapHeight = 200

/** People cannot distinguish more blocks, or smaller ones than one in `minShare`. */
const maxBlocks = 12
const minShare = 100n
/** Small entries share this many blocks for the whole map, so that a large directory is not one grey area. */
const maxRuns = 24
/** The share of the map for each directory of unknown size, and for all of them. */
const unknownShare = 0.12
const maxUnknownShare = 0.4

const isUnknown = ({ directory }: Block): boolean => directory !== undefined && directory.content === undefined

export const sumBytes = (blocks: ReadonlyArray<Block>): bigint => blocks.reduce((sum, { bytes }) => sum + bytes, 0n)

const entryBlocks = ({ place, items }: Listing, tree: DirectoryTree): ReadonlyArray<Block> => {
  const children = tree.find(place.names)?.content?.directories
  const directories = new Map(children?.map((directory) => [directory.name, directory]))
  return items
    .flatMap(({ name, is_file, size }): ReadonlyArray<Block> => {
      if (is_file) return [{ name, bytes: size, isComplete: true, directory: undefined }]
      const directory = directories.get(name)
      return directory === undefined ? [] : [{ name, ...sizeOf(directory), directory }]
    })
    .filter(({ bytes, isComplete }) => bytes > 0n || !isComplete)
    .sort((one, other) => (one.bytes < other.bytes ? 1 : one.bytes > other.bytes ? -1 : 0))
}

const mergeBlocks = (blocks: ReadonlyArray<Block>): Block => ({
  name: blocks[0]?.name ?? '',
  bytes: sumBytes(blocks),
  isComplete: blocks.every((block) => block.isComplete),
  directory: undefined,
  others: { count: blocks.length, lastName: blocks.at(-1)?.name ?? '' },
})

/** Merges small entries, in order of names, into as many blocks as their share of the map deserves. */
const mergeRuns = (others: ReadonlyArray<Block>, total: bigint): ReadonlyArray<Block> => {
  const share = total === 0n ? 0 : Number((sumBytes(others) * 1000n) / total) / 1000
  const length = Math.ceil(others.length / Math.max(1, Math.floor(share * maxRuns)))
  const runs: Array<Block> = []
  for (let start = 0; start < others.length; start += length)
    runs.push(mergeBlocks(others.slice(start, start + length)))
  return runs
}

/** Returns the largest entries, the directories of unknown size, and blocks for the others. */
export const blocksOf = (listing: Listing, tree: DirectoryTree): ReadonlyArray<Block> => {
  const blocks = entryBlocks(listing, tree)
  const total = sumBytes(blocks)
  const known = blocks.filter((block) => !isUnknown(block))
  const unknown = blocks.filter(isUnknown)
  const large = known.slice(0, maxBlocks).filter(({ bytes }) => bytes * minShare >= total)
  const others = [...known.slice(large.length), ...unknown.slice(maxBlocks)]
  if (others.length < 2) return blocks
  const byName = others.sort((one, other) => (one.name < other.name ? -1 : 1))
  return [...large, ...unknown.slice(0, maxBlocks), ...mergeRuns(byName, total)]
}

/** Places blocks by size. Doubles are exact enough for drawing. */
export const placeBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<PlacedBlock> => {
  const total = Number(sumBytes(blocks))
  const unknownCount = blocks.filter(isUnknown).length
  const share = unknownCount === 0 ? 0 : Math.min(unknownShare, maxUnknownShare / unknownCount)
  const unknownWeight = total === 0 ? 1 : (total * share) / (1 - share * unknownCount)
  const weigh = (block: Block): number =>
    isUnknown(block) ? unknownWeight : Math.max(Number(block.bytes), total / 40, 1)
  interface Datum {
    readonly block?: Block
    readonly children?: ReadonlyArray<Datum>
  }
  const root = hierarchy<Datum>({ children: blocks.map((block) => ({ block })) }).sum(({ block }) =>
    block === undefined ? 0 : weigh(block),
  )
  const layout = treemap<Datum>().tile(treemapSquarify).size([mapWidth, mapHeight]).paddingInner(3)
  return layout(root)
    .leaves()
    .flatMap(({ data: { block }, x0, x1, y0, y1 }) =>
      block === undefined ? [] : [{ block, left: x0, top: y0, width: x1 - x0, height: y1 - y0 }],
    )
}
