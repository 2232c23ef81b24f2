import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Directory, sizeOf } from './Directory.js'
import { DirectoryTree } from './DirectoryTree.js'
import { publishFolderSizes } from './folderSizes.js'
import { clientOf, type SeenVisibility } from './knownVisibilities.js'
import type { Listing } from './ListingLoader.js'
import type { Place } from './routes.js'

/** The last tree, shared by the outline and the map of sizes, and kept between directories. */
let current: { readonly key: string; readonly tree: DirectoryTree } | undefined

/** Returns where the tree of a place begins: at the root, or below the closed ones at the first known or last directory. */
const topOf = (visibilities: ReadonlyArray<SeenVisibility>): number => {
  const closed = visibilities.lastIndexOf(undefined)
  if (closed < 0) return 0
  const known = visibilities.findIndex((each, depth) => depth > closed && typeof each === 'object')
  return known < 0 ? visibilities.length - 1 : known
}

const treeOf = ({ view, names }: Place, visibilities: ReadonlyArray<SeenVisibility>): DirectoryTree | undefined => {
  const depth = topOf(visibilities)
  if (visibilities[depth] === undefined) return undefined
  const top = names.slice(0, depth)
  const key = JSON.stringify([clientOf(view), top])
  if (current?.key !== key) current = { key, tree: new DirectoryTree(view, top, visibilities[depth]) }
  return current.tree
}

/** Tells the listing the sizes of the folders whose subtrees are loaded. */
const usePublishedSizes = (tree: DirectoryTree | undefined, place: Place, here: Directory | undefined): void => {
  // A subtree that is loading has no size yet.
  const version = tree?.expansion === undefined ? tree?.version : undefined
  useEffect(() => {
    if (version === undefined || here?.content === undefined) return
    const sizes = here.content.directories.map((child) => [child.name, sizeOf(child)] as const)
    publishFolderSizes(
      place,
      new Map(sizes.flatMap(([name, { bytes, isComplete }]) => (isComplete ? [[name, bytes] as const] : []))),
    )
  }, [version, here])
}

/** Returns the tree around a place. `visibilities` lead from the root of the area to the place. */
export const useTree = (
  place: Place,
  visibilities: ReadonlyArray<SeenVisibility>,
  listing: Listing,
): DirectoryTree | undefined => {
  const { names } = place
  const [, render] = useState(0)
  const seen = JSON.stringify(visibilities)
  const tree = useMemo(() => treeOf(place, visibilities), [clientOf(place.view), names.join('/'), seen])
  useEffect(() => tree?.subscribe(() => render((count) => count + 1)), [tree])
  const path = names.join('/')
  const isListed = listing.complete && listing.node?.type === 'dir' && listing.place.names.join('/') === path
  useEffect(() => {
    if (tree === undefined) return
    tree.reveal(names, visibilities.slice(topOf(visibilities) + 1))
    const here = tree.find(names)
    if (here !== undefined && isListed) tree.setItems(here, listing.items)
  }, [tree, path, seen, isListed])
  usePublishedSizes(tree, place, tree?.find(names))
  return tree
}
