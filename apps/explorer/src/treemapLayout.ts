import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { type Directory, sizeOf } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import type { Listing } from './ListingLoader.js'

/** A rectangle of the map: an entry, or several small ones. */
export interface Block {
  readonly name: string
  readonly bytes: bigint
  /** Whether `bytes` covers the whole subtree. */
  readonly isComplete: boolean
  readonly directory: Directory | undefined
  /** For a block of several entries. */
  readonly entryCount?: number
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

/** Returns the largest entries, the directories of unknown size, and one block for the others. */
export const blocksOf = (listing: Listing, tree: DirectoryTree): ReadonlyArray<Block> => {
  const blocks = entryBlocks(listing, tree)
  const total = sumBytes(blocks)
  const known = blocks.filter((block) => !isUnknown(block))
  const unknown = blocks.filter(isUnknown)
  const large = known.slice(0, maxBlocks).filter(({ bytes }) => bytes * minShare >= total)
  const others = [...known.slice(large.length), ...unknown.slice(maxBlocks)]
  if (others.length < 2) return blocks
  const isComplete = others.every((block) => block.isComplete)
  const rest = { name: '', bytes: sumBytes(others), isComplete, directory: undefined, entryCount: others.length }
  return [...large, ...unknown.slice(0, maxBlocks), rest]
}

/** Places blocks by size. Doubles are exact enough for drawing. */
export const placeBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<PlacedBlock> => {
  const total = Number(sumBytes(blocks))
  const unknownCount = blocks.filter(isUnknown).length
  const share = unknownCount === 0 ? 0 : Math.min(unknownShare, maxUnknownShare / unknownCount)
  const unknownWeight = total === 0 ? 1 : (total * share) / (1 - share * unknownCount)
  const weigh = (block: Block): number =>
    isUnknown(block) ? unknownWeight : Math.max(Number(block.bytes), total / 100, 1)
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
