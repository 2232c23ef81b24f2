import type { Entry, ListEnv, Listing, NodeAtEnv } from '@canopy/domain'
import { dir, file, type WorldAccount, type WorldDirectory, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, expect } from 'vitest'
import { type CachedPorts, type CacheOptions, cachedListings } from '../../src/cache/cachedListings.js'
import { type ChangeEvents, changeEvents } from '../../src/cache/changeEvents.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { at, type TemporaryArea, temporaryArea } from '../temporaryArea.js'

export interface CachedArea extends Pick<TemporaryArea, 'directory' | 'area' | 'other' | 'close'> {
  readonly ports: CachedPorts
  /** The calls of the storage below the cache: `list` and `nodeAt`. */
  readonly reads: () => number
  readonly looks: () => number
}

interface Cached {
  readonly maxBytes?: number
  readonly options?: CacheOptions
  readonly otherNodes?: WorldAccount['area']
  readonly events?: (root: StorageRoot) => ChangeEvents
  /** Called each time before a directory is resolved and read, as if by another process. */
  readonly beforeRead?: () => Promise<unknown>
  /** Called after each read, before the cache gets the listing. */
  readonly afterRead?: (directory: string) => unknown
  /** Changes each listing that the storage has read. */
  readonly altered?: (listing: Listing.Listing) => Listing.Listing
  /** Called before each `nodeAt` of the storage. */
  readonly beforeLook?: () => Promise<unknown>
}

const cachedArea = async (nodes: WorldAccount['area'], cached: Cached = {}): Promise<CachedArea> => {
  const { maxBytes = 1 << 26, options, otherNodes, events = changeEvents } = cached
  const { beforeRead, afterRead, altered, beforeLook } = cached
  const made = await temporaryArea(nodes, { otherNodes })
  const { ports: storage, root, directory } = made
  let reads = 0
  let looks = 0
  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) => async () => {
    looks += 1
    await beforeLook?.()
    return storage.nodeAt(area, path)()
  }
  const counted =
    (list: ListEnv['list']): ListEnv['list'] =>
    (area, path) =>
    async () => {
      reads += 1
      // Lets the microtasks of a new watch run first.
      await Promise.resolve()
      await beforeRead?.()
      const listed = await list(area, path)()
      await afterRead?.(directory)
      return altered === undefined ? listed : E.map(altered)(listed)
    }
  const counting = { ...storage, nodeAt, list: counted(storage.list), listSnapshot: counted(storage.listSnapshot) }
  const ports = cachedListings(counting, events(root), maxBytes, options)
  return { ...made, ports, reads: () => reads, looks: () => looks }
}

const touched = (last_modified: bigint, node: WorldDirectory): WorldDirectory => ({ ...node, last_modified })

export const nodes: ReadonlyArray<WorldNode> = [
  touched(10n, dir('a', touched(11n, dir('b', file('file', 1, 12))), file('beside', 2, 13))),
  file('top', 3, 14),
]

export const shown = async ({ ports, area }: CachedArea, path: string): Promise<unknown> => {
  const listed = await ports.list(area, at(path))()
  return E.isLeft(listed)
    ? listed.left.error
    : Array.from(listed.right.entries, (entry: Entry.Entry) => [
        entry.name,
        entry.type === 'file' ? Number(entry.size) : 'dir',
        Number(entry.last_modified),
      ])
}

export const settled = ({ ports }: CachedArea): Promise<void> => expect.poll(() => ports.figures().inFlight).toBe(0)

/** Requests a listing twice, and checks how the second request is counted. */
const askTwice =
  (counted: 'hits' | 'misses') =>
  async (area: CachedArea, path: string): Promise<void> => {
    await shown(area, path)
    await settled(area)
    const before = area.ports.figures()[counted]
    await shown(area, path)
    expect(area.ports.figures()[counted]).toBe(before + 1)
    await settled(area)
  }

export const warm = askTwice('hits')
export const staysCold = askTwice('misses')

export const cachedAreas = () => {
  const areas: Array<CachedArea> = []
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))
  return async (nodes: WorldAccount['area'], cached?: Cached): Promise<CachedArea> => {
    const area = await cachedArea(nodes, cached)
    areas.push(area)
    return area
  }
}

export const eventsWith =
  (change: (events: ChangeEvents) => Partial<ChangeEvents>) =>
  (root: StorageRoot): ChangeEvents => {
    const events = changeEvents(root)
    return { ...events, ...change(events) }
  }

export const aroundWatches = ({ before, after }: Partial<Record<'before' | 'after', (path: string) => void>>) =>
  eventsWith(({ watch }) => ({
    watch: (area, path, changed) => {
      before?.(path)
      const stop = watch(area, path, changed)
      after?.(path)
      return stop
    },
  }))
