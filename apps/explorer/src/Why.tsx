import type { DirectoryItem } from '@canopy/client'
import { useState } from 'preact/hooks'
import { Access, Chain } from './Chain.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount, formatTime } from './format.js'
import { rootName } from './Header.js'
import { kindOf } from './icons.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { lazily } from './lazy.js'
import { Visible } from './Name.js'
import { words } from './preferences.js'
import { Changed, Size } from './Row.js'
import { isPreview } from './routes.js'
import { useTree } from './useTree.js'
import type { ChainNode } from './visitor.js'

const useTreemap = lazily(() => import('./Treemap.js'))

/** The map of sizes, loaded on demand. */
const Sizes = ({ listing, loader, tree }: SizesProps) => {
  const [isShown, setShown] = useState(false)
  const treemap = useTreemap(isShown)
  return (
    <section class="sizes">
      <h3>{words().map.title}</h3>
      {!isShown ? (
        <button type="button" onClick={() => setShown(true)}>
          {words().map.show}
        </button>
      ) : (
        treemap !== undefined && tree !== undefined && <treemap.Treemap listing={listing} loader={loader} tree={tree} />
      )}
    </section>
  )
}

interface SizesProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly tree: DirectoryTree | undefined
}

interface WhyProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  /** The selected entry; `undefined` for the directory itself. */
  readonly item: DirectoryItem | undefined
  /** From the root to the directory itself. */
  readonly chain: ReadonlyArray<ChainNode>
}

const formatEntryCount = (tree: DirectoryTree | undefined, names: ReadonlyArray<string>): string | undefined => {
  const content = tree?.find(names)?.content
  if (content === undefined) return undefined
  return `${formatCount(content.directories.length + content.files)}${content.after === undefined ? '' : '+'}`
}

/** Explains the visibility of the selected entry, or of the directory itself. */
export const Why = ({ listing, loader, item, chain }: WhyProps) => {
  const { place } = listing
  const tree = useTree(
    place,
    chain.map(({ visibility }) => visibility),
    listing,
  )
  const name = item?.name ?? place.names.at(-1) ?? rootName(place)
  const isFile = item?.is_file ?? false
  // A preview has no counts, because they would include hidden entries.
  const preview = isPreview(place.view)
  const subject = item === undefined ? chain : [...chain, item]
  const names = item === undefined ? place.names : [...place.names, item.name]
  return (
    <>
      <h2>
        <Visible text={name} />
      </h2>
      <Access chain={subject} />
      <dl class="facts">
        <dt>{words().kind}</dt>
        <dd>{words().kinds[kindOf({ is_file: isFile, name })]}</dd>
        {!isFile && !preview && (
          <>
            <dt>{words().entriesLabel}</dt>
            <dd>{formatEntryCount(tree, names) ?? (item === undefined ? '' : '—')}</dd>
          </>
        )}
        {item?.is_file && (
          <>
            <dt>{words().columns.size}</dt>
            <dd>
              <Size bytes={item.size} />
            </dd>
          </>
        )}
        {item !== undefined && (
          <>
            <dt>{words().columns.time}</dt>
            <dd title={formatTime(item.last_modified).exact}>
              <Changed seconds={item.last_modified} />
            </dd>
          </>
        )}
      </dl>
      <h3>{words().chain.title}</h3>
      <Chain chain={subject} />
      {!preview && <Sizes listing={listing} loader={loader} tree={tree} />}
    </>
  )
}
