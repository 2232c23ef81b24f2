import { useEffect } from 'preact/hooks'
import type { Directory } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount, formatShare, formatSize, plainName } from './format.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { follow } from './navigation.js'
import { words } from './preferences.js'
import { childOf, type Place, placeHref } from './routes.js'
import { type Block, blocksOf, mapHeight, mapWidth, type PlacedBlock, placeBlocks, sumBytes } from './treemapLayout.js'

const formatPercent = (bytes: bigint, total: bigint): string => {
  if (total === 0n) return ''
  const isSmall = bytes * 100n < total
  return formatShare(isSmall ? 0 : Number((bytes * 100n + total / 2n) / total) / 100)
}

interface UnknownBlockProps {
  readonly tree: DirectoryTree
  readonly directory: Directory
}

/** A button that loads a directory of unknown size. */
const UnknownBlock = ({ tree, directory }: UnknownBlockProps) => {
  const { expansion } = tree
  const name = plainName(directory.name)
  return (
    <button
      type="button"
      title={words().map.unknown(name)}
      disabled={expansion !== undefined}
      onClick={() => tree.expand(directory)}
    >
      <span class="name">{name}</span>
      <span>{expansion?.directory === directory ? words().loading : words().map.load}</span>
    </button>
  )
}

interface KnownBlockProps {
  readonly place: Place
  readonly block: Block
  readonly label: string
  readonly total: bigint
}

const KnownBlock = ({ place, block: { name, bytes, others }, label, total }: KnownBlockProps) => {
  const text = (
    <>
      <span class="name">{label}</span>
      <span>{formatPercent(bytes, total)}</span>
    </>
  )
  return others === undefined ? (
    <a href={placeHref(childOf(place, name))} onClick={follow}>
      {text}
    </a>
  ) : (
    <span class="others">{text}</span>
  )
}

interface MapBlockProps {
  readonly placed: PlacedBlock
  readonly place: Place
  readonly tree: DirectoryTree
  readonly total: bigint
}

const MapBlock = ({ placed: { block, left, top, width, height }, place, tree, total }: MapBlockProps) => {
  const { name, bytes, isComplete, directory, others } = block
  const style = {
    left: `${(left / mapWidth) * 100}%`,
    top: `${top}px`,
    width: `${(width / mapWidth) * 100}%`,
    height: `${height}px`,
  }
  if (directory !== undefined && directory.content === undefined)
    return (
      <li class="unknown" style={style}>
        <UnknownBlock tree={tree} directory={directory} />
      </li>
    )
  const label = others === undefined ? plainName(name) : words().map.others(formatCount(others.count))
  const names = others === undefined ? label : `${label}, ${plainName(name)} – ${plainName(others.lastName)}`
  const size = isComplete ? formatSize(bytes) : words().map.atLeast(formatSize(bytes))
  const kind = directory === undefined ? 'file' : isComplete ? 'directory' : 'directory partly'
  return (
    <li class={kind} style={style} title={`${names}: ${size}`}>
      <KnownBlock place={place} block={block} label={label} total={total} />
    </li>
  )
}

const hasFailed = (here: Directory): boolean =>
  here.failure !== undefined || (here.content?.directories ?? []).some(({ failure }) => failure !== undefined)

interface MapSumProps {
  readonly tree: DirectoryTree
  readonly here: Directory
  readonly total: bigint
  readonly isComplete: boolean
}

/** The sum of the map, or the progress or failure of loading it. */
const MapSum = ({ tree, here, total, isComplete }: MapSumProps) => {
  const { expansion } = tree
  if (expansion !== undefined)
    return (
      <p class="quiet map-sum" role="status">
        {words().tree.progress(formatCount(expansion.nodeCount))}
        <button type="button" onClick={expansion.cancel}>
          {words().tree.cancel}
        </button>
      </p>
    )
  const failed = hasFailed(here)
  return (
    <p class="quiet map-sum" role="status">
      {failed && <span class="problem">{words().map.failed}</span>}
      {isComplete ? formatSize(total) : words().map.atLeast(formatSize(total))}
      {!isComplete && (
        <button type="button" onClick={() => tree.expand(here)}>
          {failed ? words().tryAgain : words().map.loadAll}
        </button>
      )}
    </p>
  )
}

interface TreemapProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly tree: DirectoryTree
}

/** In place of the map while the listing loads, or when it cannot. */
const Waiting = ({ listing, loader }: Omit<TreemapProps, 'tree'>) =>
  listing.failure === undefined ? (
    <p class="quiet">{words().loading}</p>
  ) : (
    <p class="map-sum" role="alert">
      <span class="problem">{words().map.failed}</span>
      <button type="button" onClick={loader.loadAll}>
        {words().tryAgain}
      </button>
    </p>
  )

/** A map of the bytes of a directory, with a block for each entry. Unknown sizes are hatched and load on demand. */
export const Treemap = ({ listing, loader, tree }: TreemapProps) => {
  const { place, complete } = listing
  const here = tree.find(place.names)
  useEffect(() => loader.loadAll(), [loader])
  if (!complete || here?.content === undefined) return <Waiting listing={listing} loader={loader} />
  const blocks = blocksOf(listing, tree)
  const total = sumBytes(blocks)
  const isComplete = blocks.every((block) => block.isComplete)
  return (
    <>
      {blocks.length === 0 ? (
        <p class="quiet">{words().map.nothing}</p>
      ) : (
        <ul class="treemap" style={{ height: `${mapHeight}px` }}>
          {placeBlocks(blocks).map((placed) => (
            <MapBlock key={placed.block.name} {...{ placed, place, tree, total }} />
          ))}
        </ul>
      )}
      <MapSum {...{ tree, here, total, isComplete }} />
    </>
  )
}
