import { type Area, type Entry, type Listing, StoragePath, U64 } from '@canopy/domain'
import type { ChangingStorage, FilePorts, Seeded, StoragePorts, WorldAccount, WorldNode } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ObjectStore, StoreAddress } from './objectStore.js'
import { removeObject, type SeededObjects, seedObjects, storedSize } from './seedObjects.js'

type ObjectUrl = StoreAddress & { readonly bucket: string; readonly prefix: string; readonly pathStyle: boolean }

type Closable = StoragePorts & FilePorts & { readonly close: () => void }

interface SeededAreas extends Seeded<StoragePorts & FilePorts> {
  readonly change: (location: string, ...changed: Parameters<ChangingStorage['change']>) => Promise<void>
}

type Areas = ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>

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
const asSeeded = <Ports extends StoragePorts>(areas: ReadonlyMap<string, SeededObjects>, ports: Ports): Ports => {
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

/** Seeds areas in a new bucket, each time below a new prefix, and opens an adapter that returns the seeded sizes and times. */
export const seededAreas = async (
  store: ObjectStore,
  open: (url: ObjectUrl) => Promise<Closable>,
): Promise<(areas: Areas) => Promise<SeededAreas>> => {
  const { endpoint, region, newBucket } = store
  const bucket = await newBucket()
  let seedings = 0
  return async (areas) => {
    seedings += 1
    const url: ObjectUrl = { bucket, prefix: `seeded/${seedings}/`, endpoint, region, pathStyle: true }
    const seeded = areas.map(
      async ([location, nodes]) =>
        [location, await seedObjects(store, bucket, `${url.prefix}${location}/`, nodes)] as const,
    )
    const known = new Map(await Promise.all(seeded))
    const storage = await open(url)
    return {
      ports: asSeeded(known, storage),
      change: async (location, path, node) => {
        const key = `${url.prefix}${location}${path}`
        await removeObject(store, bucket, key)
        if (node !== undefined) await seedObjects(store, bucket, key.slice(0, key.lastIndexOf('/') + 1), [node])
      },
      close: async () => storage.close(),
    }
  }
}
