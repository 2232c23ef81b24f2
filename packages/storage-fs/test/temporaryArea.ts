import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, type Listing, type OpenedFile, StoragePath, type UserId } from '@canopy/domain'
import { removeDirectory, type SeededStorage, seedDirectory, type WorldAccount } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type FsStorage, fsStorage } from '../src/fsStorage.js'
import { ReaderPool } from '../src/read/ReaderPool.js'
import * as StorageRoot from '../src/StorageRoot.js'

const given = (what: string) => (): never => {
  throw new Error(`the test itself is wrong: ${what}`)
}

export const rootAt = (directory: string): StorageRoot.StorageRoot =>
  pipe(StorageRoot.fromText('/')(`file:${directory}`), E.getOrElseW(given(directory)))

export const at = (path: string) => pipe(StoragePath.fromString(path), O.getOrElseW(given(path)))

export const areaAt = (location: string): Area.Area => ({
  owner: 1n as UserId.UserId,
  location: Area.location(location),
})

export interface TemporaryArea extends SeededStorage {
  readonly ports: FsStorage
  readonly root: StorageRoot.StorageRoot
  /** Absolute. */
  readonly directory: string
}

/** Real files under a fresh storage root, in an area of the location `area`. */
export const temporaryArea = async (
  nodes: WorldAccount['area'],
  { above = tmpdir(), otherNodes = 'missing' }: { above?: string; otherNodes?: WorldAccount['area'] | undefined } = {},
): Promise<TemporaryArea> => {
  const root = rootAt(await mkdtemp(join(above, 'canopy-fs-')))
  const directory = join(root, 'area')
  await seedDirectory(directory, nodes)
  await seedDirectory(join(root, 'other'), otherNodes)
  return {
    root,
    directory,
    area: areaAt('area'),
    other: areaAt('other'),
    ports: fsStorage(root),
    close: () => removeDirectory(root),
  }
}

export const inArea = async (nodes: WorldAccount['area'], use: (area: TemporaryArea) => Promise<void>) => {
  const area = await temporaryArea(nodes)
  await use(area).finally(area.close)
}

export { dir, file } from '@canopy/testkit'

export const fileNode = (size: bigint) => ({ type: 'file', size, last_modified: 1n })

/** Returns the paths in a directory that a process holds open; by default this process. */
export const openIn = (directory: string, pid: number | 'self' = 'self'): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return path.startsWith(directory) ? [path] : []
    } catch {
      return []
    }
  })

const children = (): ReadonlyArray<number> =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Returns the child processes that this process has started since the call. */
export const childrenSince = (): (() => ReadonlyArray<number>) => {
  const before = new Set(children())
  return () => children().filter((pid) => !before.has(pid))
}

/** Runs a function as an unprivileged user. Only root has to change its user. */
export const asNobody = async <A>(act: () => Promise<A>): Promise<A> => {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

export const unpacked = (listing: Listing.Listing) => ({ ...listing, entries: [...listing.entries] })

export const readersAt = (
  root: StorageRoot.StorageRoot,
  options?: ConstructorParameters<typeof ReaderPool>[1],
): Omit<FsStorage, 'openFile'> => {
  const pool = new ReaderPool(root, options)
  const list =
    (isSnapshot: boolean): FsStorage['list'] =>
    (area, path, { signal } = {}) =>
    () =>
      pool.list({ ask: 'list', area, path, isSnapshot }, signal)
  return {
    nodeAt: (area, path, options) => () => pool.nodeAt(area, path, options?.signal),
    list: list(false),
    listSnapshot: list(true),
  }
}

export const textOf = async (opened: OpenedFile, start = 0n, end = opened.size): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of opened.bytes(start, end)) chunks.push(chunk)
  await opened.close()
  return Buffer.concat(chunks).toString()
}
