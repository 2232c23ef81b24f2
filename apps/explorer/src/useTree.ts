import type { NodeVisibility } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { secretVersion } from './credentials.js'
import { DirectoryTree } from './DirectoryTree.js'
import type { Listing } from './ListingLoader.js'
import type { Place } from './routes.js'

/** The last tree, shared by the outline and the map of sizes, and kept between directories. */
let current: { readonly key: string; readonly tree: DirectoryTree } | undefined

/** Returns the tree around a place. `visibilities` lead from the root of the area to the place. */
export const useTree = (
  { view, names }: Place,
  visibilities: ReadonlyArray<NodeVisibility | undefined>,
  listing: Listing,
): DirectoryTree | undefined => {
  const [, render] = useState(0)
  const depth = visibilities.lastIndexOf(undefined) + 1
  const top = visibilities[depth]
  const own = visibilities.at(-1)
  const client = view.as === 'owner' ? `files ${secretVersion()}` : `id ${view.user}`
  const key = JSON.stringify([client, names.slice(0, depth)])
  if (top !== undefined && current?.key !== key)
    current = { key, tree: new DirectoryTree(view, names.slice(0, depth), top) }
  const tree = top === undefined ? undefined : current?.tree
  useEffect(() => tree?.subscribe(() => render((count) => count + 1)), [tree])
  const path = names.join('/')
  const isListed = listing.complete && listing.node?.type === 'dir' && listing.place.names.join('/') === path
  useEffect(() => {
    const open = async (): Promise<void> => {
      if (tree === undefined || own === undefined) return
      await tree.reveal(names, own)
      const here = tree.find(names)
      if (here !== undefined && isListed) tree.setItems(here, listing.items)
    }
    void open()
  }, [tree, path, isListed])
  return tree
}
