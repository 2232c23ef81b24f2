import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry, ListEnv, Listing, NodeAtEnv } from '@canopy/domain'
import type { WorldAccount, WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, expect } from 'vitest'
import { type CacheFigures, type CacheOptions, cachedListings } from '../src/cachedListings.js'
import { type ChangeEvents, changeEvents } from '../src/changeEvents.js'
import type { StorageRoot } from '../src/StorageRoot.js'
import { at, type TemporaryArea, temporaryArea } from './temporaryArea.js'

export interface CachedArea extends Pick<TemporaryArea, 'directory' | 'area' | 'other' | 'close'> {
  readonly ports: NodeAtEnv & ListEnv & { readonly figures: () => CacheFigures }
  /** How often the storage itself was asked for a listing. */
  readonly reads: () => number
  /** How often it was asked for a node. */
  readonly looks: () => number
}

/** A real directory, its listings cached. */
export const cachedArea = async (
  nodes: WorldAccount['area'],
  {
    maxBytes = 1 << 26,
    options = {},
    otherNodes = 'missing',
    events = changeEvents,
    meanwhile = async () => undefined,
    told = (listing) => listing,
    beforeLook = async () => undefined,
  }: {
    readonly maxBytes?: number
    readonly options?: CacheOptions
    readonly otherNodes?: WorldAccount['area']
    readonly events?: (root: StorageRoot) => ChangeEvents
    /** What happens each time when a directory has been read and is not told yet. */
    readonly meanwhile?: (directory: string) => Promise<unknown>
    /** What the storage tells of what it has read. */
    readonly told?: (listing: Listing.Listing) => Listing.Listing
    /** What happens each time before a node is looked at. */
    readonly beforeLook?: () => Promise<unknown>
  } = {},
): Promise<CachedArea> => {
  const made = await temporaryArea(nodes, undefined, undefined, otherNodes)
  const { ports: storage, root, directory } = made
  let reads = 0
  let looks = 0
  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) => async () => {
    looks += 1
    await beforeLook()
    return storage.nodeAt(area, path)()
  }
  const counted =
    (list: ListEnv['list']): ListEnv['list'] =>
    (area, path) =>
    async () => {
      reads += 1
      // What is queued when a watch has begun happens before the directory is found.
      await Promise.resolve()
      const listed = await list(area, path)()
      await meanwhile(directory)
      return E.map(told)(listed)
    }
  return {
    ...made,
    ports: cachedListings(
      { nodeAt, list: counted(storage.list), listSnapshot: counted(storage.listSnapshot) },
      events(root),
      maxBytes,
      options,
    ),
    reads: () => reads,
    looks: () => looks,
  }
}

export const nodes: ReadonlyArray<WorldNode> = [
  {
    type: 'dir',
    name: 'a',
    last_modified: 10n,
    content: [
      {
        type: 'dir',
        name: 'b',
        last_modified: 11n,
        content: [{ type: 'file', name: 'file', size: 1n, last_modified: 12n }],
      },
      { type: 'file', name: 'beside', size: 2n, last_modified: 13n },
    ],
  },
  { type: 'file', name: 'top', size: 3n, last_modified: 14n },
]

export const emptyDirectory = { type: 'dir', last_modified: 10n, content: [] } as const

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

/** Asks until the listing is cached, and a little longer. */
export const warm = async (area: CachedArea, path: string): Promise<void> => {
  await shown(area, path)
  await sleep(50)
  const before = area.reads()
  await shown(area, path)
  expect(area.reads()).toBe(before)
}

/** Cached areas, which are closed after each test. */
export const cachedAreas = () => {
  const areas: Array<CachedArea> = []
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))
  return async (...parameters: Parameters<typeof cachedArea>): Promise<CachedArea> => {
    const area = await cachedArea(...parameters)
    areas.push(area)
    return area
  }
}

/** Opens once, for everyone who waits. */
export const gate = () => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

type Act = (path: string) => void

const nothing: Act = () => undefined

/** Does something before and after each directory is watched. */
export const aroundWatches =
  ({ before = nothing, after = nothing }: { readonly before?: Act; readonly after?: Act }) =>
  (root: StorageRoot): ChangeEvents => {
    const events = changeEvents(root)
    return {
      ...events,
      watch: (area, path, changed) => {
        before(path)
        const stop = events.watch(area, path, changed)
        after(path)
        return stop
      },
    }
  }

/** Tells of each change 20 ms later than it could. */
export const lateEvents = (root: StorageRoot): ChangeEvents => {
  const events = changeEvents(root)
  return {
    ...events,
    watch: (area, path, changed) => events.watch(area, path, (name) => void setTimeout(() => changed(name), 20)),
  }
}
