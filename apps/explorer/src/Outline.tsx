import { useMemo } from 'preact/hooks'
import { isExpanded } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount } from './format.js'
import type { SeenVisibility } from './knownVisibilities.js'
import { Lines } from './Lines.js'
import type { Listing } from './ListingLoader.js'
import { words } from './preferences.js'
import type { Place } from './routes.js'
import { useTree } from './useTree.js'

interface ExpandAllProps {
  readonly tree: DirectoryTree
  readonly place: Place
}

/** Loads the whole subtree of the directory on the page, with progress. */
const ExpandAll = ({ tree, place }: ExpandAllProps) => {
  const { expansion } = tree
  const here = tree.find(place.names)
  const isComplete = useMemo(() => here !== undefined && isExpanded(here), [here, here?.content, expansion])
  if (expansion === undefined)
    return (
      <button type="button" disabled={here === undefined || isComplete} onClick={() => here && tree.expand(here)}>
        {words().tree.expandAll}
      </button>
    )
  return (
    <>
      <span class="progress" role="status">
        {words().tree.progress(formatCount(expansion.nodeCount))}
      </span>
      <button type="button" onClick={expansion.cancel}>
        {words().tree.cancel}
      </button>
    </>
  )
}

interface OutlineProps {
  readonly place: Place
  /** From the root of the area to the place. */
  readonly visibilities: ReadonlyArray<SeenVisibility>
  readonly listing: Listing
}

/** The directories of an area as a tree. */
export const Outline = ({ place, visibilities, listing }: OutlineProps) => {
  const tree = useTree(place, visibilities, listing)
  return (
    <>
      <div class="panel-head">
        <h2>{words().tree.title}</h2>
        {tree !== undefined && <ExpandAll tree={tree} place={place} />}
      </div>
      {tree !== undefined && <Lines tree={tree} place={place} />}
    </>
  )
}
