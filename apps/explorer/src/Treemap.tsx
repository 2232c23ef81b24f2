// Where the bytes of a directory are: an area for each entry. What is not known is hatched, and can be loaded.
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { useEffect } from 'preact/hooks'
import type { Listing, Loader } from './data.js'
import { formatCount, formatSize, plainName } from './format.js'
import { follow } from './navigation.js'
import { childOf, placeHref } from './routes.js'
import { words } from './settings.js'
import { type Directory, sizeOf, type Tree } from './tree.js'

interface Block {
  readonly name: string
  readonly bytes: bigint
  readonly isWhole: boolean
  readonly directory: Directory | undefined
  /** How many entries are one area, where they are too small for areas. */
  readonly entries?: number
}

/** As many areas as people can distinguish, and the least share that one can have. */
const mostBlocks = 12
const leastShare = 100n
/** The share of the map that each unknown directory takes, and all of them together. */
const unknownShare = 0.12
const mostUnknown = 0.4

const width = 284
const height = 200

const isUnknown = ({ directory }: Block): boolean => directory !== undefined && directory.content === undefined

const sumOf = (blocks: ReadonlyArray<Block>): bigint => blocks.reduce((sum, { bytes }) => sum + bytes, 0n)

const blocksOf = ({ place, items }: Listing, tree: Tree): ReadonlyArray<Block> => {
  const here = tree.find(place.names)
  const directories = new Map(here?.content?.directories.map((directory) => [directory.name, directory]))
  const blocks = items
    .flatMap(({ name, is_file, size }): ReadonlyArray<Block> => {
      if (is_file) return [{ name, bytes: size, isWhole: true, directory: undefined }]
      const directory = directories.get(name)
      return directory === undefined ? [] : [{ name, ...sizeOf(directory), directory }]
    })
    .filter((block) => block.bytes > 0n || !block.isWhole)
    .sort((one, other) => (one.bytes < other.bytes ? 1 : one.bytes > other.bytes ? -1 : 0))
  const total = sumOf(blocks)
  const known = blocks.filter((block) => !isUnknown(block))
  const unknown = blocks.filter(isUnknown)
  const large = known.slice(0, mostBlocks).filter(({ bytes }) => bytes * leastShare >= total)
  const rest = [...known.slice(large.length), ...unknown.slice(mostBlocks)]
  if (rest.length < 2) return blocks
  return [
    ...large,
    ...unknown.slice(0, mostBlocks),
    {
      name: '',
      bytes: sumOf(rest),
      isWhole: rest.every(({ isWhole }) => isWhole),
      directory: undefined,
      entries: rest.length,
    },
  ]
}

/** Numbers are near enough to draw with. */
const areasOf = (blocks: ReadonlyArray<Block>) => {
  const total = blocks.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  const unknown = blocks.filter(isUnknown).length
  const share = unknown === 0 ? 0 : Math.min(unknownShare, mostUnknown / unknown)
  const ofUnknown = total === 0 ? 1 : (total * share) / (1 - share * unknown)
  const root = hierarchy<{ readonly block?: Block; readonly children?: ReadonlyArray<{ readonly block: Block }> }>({
    children: blocks.map((block) => ({ block })),
  }).sum(({ block }) =>
    block === undefined ? 0 : isUnknown(block) ? ofUnknown : Math.max(Number(block.bytes), total / 100, 1),
  )
  return treemap<{ readonly block?: Block }>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(3)(root)
    .leaves()
}

export const Treemap = ({ listing, loader, tree }: TreemapProps) => {
  const { place, complete } = listing
  const here = tree.find(place.names)
  useEffect(() => loader.all(), [loader])
  if (!complete || here?.content === undefined) return <p class="quiet">{words().loading}</p>
  const blocks = blocksOf(listing, tree)
  const total = sumOf(blocks)
  const unknown = blocks.some(({ isWhole }) => !isWhole)
  const expanding = tree.expanding()
  const percentOf = (bytes: bigint): string =>
    total === 0n
      ? ''
      : `${formatCount(Number((bytes * 1000n) / total) >= 10 ? Number((bytes * 100n + total / 2n) / total) : 0)} %`
  return (
    <>
      {blocks.length === 0 ? (
        <p class="quiet">{words().map.nothing}</p>
      ) : (
        <ul class="treemap" style={{ height: `${height}px` }}>
          {areasOf(blocks).map(({ data: { block }, x0, x1, y0, y1 }) => {
            if (block === undefined) return null
            const { name, bytes, isWhole, directory, entries } = block
            const style = {
              left: `${(x0 / width) * 100}%`,
              top: `${y0}px`,
              width: `${((x1 - x0) / width) * 100}%`,
              height: `${y1 - y0}px`,
            }
            const size = isWhole ? formatSize(bytes) : words().map.atLeast(formatSize(bytes))
            if (directory !== undefined && directory.content === undefined)
              return (
                <li key={name} class="unknown" style={style}>
                  <button
                    type="button"
                    title={words().map.unknown(plainName(name))}
                    disabled={expanding !== undefined}
                    onClick={() => tree.expand(directory)}
                  >
                    <span class="name">{plainName(name)}</span>
                    <span>{expanding?.directory === directory ? words().loading : words().map.load}</span>
                  </button>
                </li>
              )
            const label = entries === undefined ? plainName(name) : words().map.others(entries)
            const text = (
              <>
                <span class="name">{label}</span>
                <span>{percentOf(bytes)}</span>
              </>
            )
            return (
              <li
                key={name}
                class={directory === undefined ? 'file' : isWhole ? 'directory' : 'directory partly'}
                style={style}
                title={`${label}: ${size}`}
              >
                {entries === undefined ? (
                  <a href={placeHref(childOf(place, name))} onClick={follow}>
                    {text}
                  </a>
                ) : (
                  <span class="others">{text}</span>
                )}
              </li>
            )
          })}
        </ul>
      )}
      <p class="quiet map-sum" role="status">
        {expanding !== undefined
          ? words().tree.progress(formatCount(expanding.progress.directories + expanding.progress.files))
          : unknown
            ? words().map.atLeast(formatSize(total))
            : formatSize(total)}
        {expanding !== undefined ? (
          <button type="button" onClick={expanding.cancel}>
            {words().tree.cancel}
          </button>
        ) : (
          unknown && (
            <button type="button" onClick={() => tree.expand(here)}>
              {words().map.loadAll}
            </button>
          )
        )}
      </p>
    </>
  )
}

interface TreemapProps {
  readonly listing: Listing
  readonly loader: Loader
  readonly tree: Tree
}
