import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, type ListEnv, type Listing, type NodeAtEnv, U64, type UserId } from '@canopy/domain'
import { fsNotices, fsStorage, StorageRoot } from '@canopy/storage-fs'
import { plantDirectory, uprootDirectory, type WorldAccount } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { keepListings } from '../src/keepListings.js'
import type { Notices } from '../src/Notices.js'

export interface KeptArea {
  readonly directory: string
  readonly area: Area.Area
  readonly other: Area.Area
  readonly ports: NodeAtEnv & ListEnv
  /** How often the storage itself was asked for a listing. */
  readonly reads: () => number
  /** How often it was asked for a node. */
  readonly looks: () => number
  readonly close: () => Promise<void>
}

const rootOf = (directory: string): StorageRoot.StorageRoot => {
  const root = StorageRoot.fromText('/')(`file:${directory}`)
  if (E.isLeft(root)) throw new Error(root.left)
  return root.right
}

/** A real directory, its listings kept. */
export const keptArea = async (
  nodes: WorldAccount['area'],
  {
    maxBytes = 1 << 26,
    maxMs,
    otherNodes = 'missing',
    notices = fsNotices,
    meanwhile = async () => undefined,
    told = (listing) => listing,
    beforeLook = async () => undefined,
  }: {
    readonly maxBytes?: number
    readonly maxMs?: number
    readonly otherNodes?: WorldAccount['area']
    readonly notices?: (root: StorageRoot.StorageRoot) => Notices
    /** What happens each time when a directory has been read and is not told yet. */
    readonly meanwhile?: (directory: string) => Promise<unknown>
    /** What the storage tells of what it has read. */
    readonly told?: (listing: Listing.Listing) => Listing.Listing
    /** What happens each time before a node is looked at. */
    readonly beforeLook?: () => Promise<unknown>
  } = {},
): Promise<KeptArea> => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-kept-'))
  const directory = join(home, 'area')
  await plantDirectory(directory, nodes)
  await plantDirectory(join(home, 'other'), otherNodes)
  const root = rootOf(home)
  const storage = fsStorage(root)
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
      const listed = await list(area, path)()
      await meanwhile(directory)
      return E.map(told)(listed)
    }
  return {
    directory,
    area: { owner: U64.clamp(1n) as UserId.UserId, location: Area.location('area') },
    other: { owner: U64.clamp(2n) as UserId.UserId, location: Area.location('other') },
    ports: keepListings(
      { nodeAt, list: counted(storage.list), listAtRest: counted(storage.listAtRest) },
      notices(root),
      maxBytes,
      maxMs,
    ),
    reads: () => reads,
    looks: () => looks,
    close: () => uprootDirectory(home),
  }
}
