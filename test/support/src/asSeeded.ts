import { type Area, type Entry, type Listing, StoragePath, U64 } from '@canopy/domain'
import type { StoragePorts, WorldNode } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type SeededObjects, storedSize } from './seedObjects.js'

const byPath = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<[string, WorldNode]> =>
  nodes.flatMap((node) => {
    const path = `${directory}/${node.name}`
    return [[path, node], ...(node.type === 'dir' ? byPath(path, node.content) : [])]
  })

/** Returns the seeded node if the stored one is right about it. */
const seededNode = <N extends Entry.Node>({ from, to }: SeededObjects, seeded: WorldNode | undefined, stored: N): N => {
  if (stored.type === 'dir')
    return seeded?.type === 'dir' && stored.last_modified === 0n
      ? { ...stored, last_modified: U64.clamp(seeded.last_modified) }
      : stored
  const isRight =
    seeded?.type === 'file' &&
    stored.size === storedSize(seeded.size) &&
    stored.last_modified >= from &&
    // Swift rounds up.
    stored.last_modified <= to + 1n
  return isRight ? { ...stored, size: U64.clamp(seeded.size), last_modified: U64.clamp(seeded.last_modified) } : stored
}

/** Replaces the sizes and times of an adapter by those of the seeded world, which no store keeps. `areas`: by location. */
export const asSeeded = <Ports extends StoragePorts>(
  areas: ReadonlyMap<string, SeededObjects>,
  ports: Ports,
): Ports => {
  const { nodeAt, list } = ports
  const nodesOf = new Map(
    [...areas].map(([location, { nodes }]) => [location, new Map(byPath('', nodes === 'missing' ? [] : nodes))]),
  )
  const corrected =
    ({ location }: Area.Area, path: string) =>
    <N extends Entry.Node>(stored: N): N => {
      const seeded = areas.get(location)
      return seeded === undefined ? stored : seededNode(seeded, nodesOf.get(location)?.get(path), stored)
    }
  // The adapter finds its data by its own listing.
  const own = new WeakMap<Listing.Listing, Listing.Listing>()
  return {
    ...ports,
    nodeAt: (area, path) => TE.map((node: Entry.Node) => corrected(area, path)(node))(nodeAt(area, path)),
    list: (area, path, options = {}) =>
      pipe(
        list(area, path, { ...options, parent: options.parent && (own.get(options.parent) ?? options.parent) }),
        TE.map((listing) => {
          const directory = path === StoragePath.root ? '' : path
          const entries = Array.from(listing.entries, (entry) => corrected(area, `${directory}/${entry.name}`)(entry))
          const seeded = { ...listing, entries }
          own.set(seeded, listing)
          return seeded
        }),
      ),
  }
}
