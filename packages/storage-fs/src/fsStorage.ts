import type { BigIntStats } from 'node:fs'
import type { Area, ListEnv, Listing, ListOptions, NodeAtEnv, OpenFileEnv, Signal, StoragePath } from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { listDirectory } from './read/directory.js'
import type { ListQuestion } from './read/messages.js'
import { openEntry } from './read/openEntry.js'
import type { ReaderPool } from './read/ReaderPool.js'
import { kindAt } from './resolve/fileSystems.js'
import { namePathInFailure, namePathInListing } from './resolve/namePath.js'
import type { OpenPinned } from './resolve/openPinned.js'
import { PathResolver } from './resolve/PathResolver.js'
import type { StorageResult } from './StorageResult.js'
import type { StorageRoot } from './StorageRoot.js'

export type StoragePorts = NodeAtEnv & ListEnv & OpenFileEnv

/** The storage ports over areas that are directories. A directory is one page. */
export interface FsStorage extends StoragePorts {
  /** Lists the content of one moment, if the directory does not change for a moment. Costs twice as much. */
  readonly listSnapshot: ListEnv['list']
}

export interface FsStorageOptions {
  /** Pins a node while it is read; by default in the safest way on this system. */
  readonly pin?: OpenPinned | undefined
  /** Child processes that read large directories. Without them this process reads everything itself. */
  readonly readers?: ReaderPool | undefined
}

/**
 * Creates the storage ports over directories. The location of an area is resolved against `root`. This process looks up the nodes
 * itself, so a mount that hangs blocks it: see `foreignStorage`.
 */
export const fsStorage = (root: StorageRoot, options: FsStorageOptions = {}): FsStorage =>
  new DirectoryStorage(root, options)

class DirectoryStorage implements FsStorage {
  readonly #resolver: PathResolver
  readonly #readers: ReaderPool | undefined
  /** The number of listings in flight, by area. */
  readonly #inFlight = new Map<Area.AreaLocation, number>()

  constructor(root: StorageRoot, { pin, readers }: FsStorageOptions) {
    this.#resolver = new PathResolver(root, pin)
    this.#readers = readers
  }

  readonly nodeAt: FsStorage['nodeAt'] = (area, path) => async () =>
    namePathInFailure(area, path, await this.#resolver.nodeAt(area, path))

  readonly openFile: FsStorage['openFile'] = (area, path) => async () =>
    namePathInFailure(area, path, await this.#resolver.useEntry(area, path, openEntry))

  readonly list: FsStorage['list'] = (area, path, options) => () => this.#list(area, path, false, options)

  readonly listSnapshot: FsStorage['list'] = (area, path, options) => () => this.#list(area, path, true, options)

  async #list(
    area: Area.Area,
    path: StoragePath.StoragePath,
    isSnapshot: boolean,
    { signal }: ListOptions = {},
  ): Promise<StorageResult<Listing.Listing>> {
    const question = { ask: 'list', area, path, isSnapshot } as const
    const others = this.#inFlight.get(area.location) ?? 0
    this.#inFlight.set(area.location, others + 1)
    try {
      return namePathInListing(area, path, await this.#read(question, others === 0, signal))
    } finally {
      const rest = (this.#inFlight.get(area.location) ?? 1) - 1
      if (rest === 0) this.#inFlight.delete(area.location)
      else this.#inFlight.set(area.location, rest)
    }
  }

  async #read(
    question: ListQuestion,
    isAlone: boolean,
    signal: Signal | undefined,
  ): Promise<StorageResult<Listing.Listing>> {
    const { area, path, isSnapshot } = question
    const pause = async (): Promise<void> => {
      await yieldToEventLoop()
      if (signal?.aborted === true) throw clientLeft
    }
    const readHere = (fdPath: string): Promise<StorageResult<Listing.Listing>> =>
      listDirectory(fdPath, { isSnapshot, pause })
    const readers = this.#readers
    if (readers === undefined) return this.#resolver.readDirectory(area, path, readHere)
    // A second concurrent listing of an area goes to a process.
    if (!isAlone) return readers.list(question, signal)
    // A small directory, or a missing one, takes less time than a message to another process. Of a large one that process resolves
    // the path again, because Node cannot pass a descriptor to it.
    const listing = await this.#resolver.readDirectory<Listing.Listing | undefined>(
      area,
      path,
      async (fdPath, stats) => (isSmall(fdPath, stats) ? readHere(fdPath) : E.right(undefined)),
    )
    if (E.isLeft(listing)) return listing
    return listing.right === undefined ? readers.list(question, signal) : E.right(listing.right)
  }
}

const clientLeft = new Error('the client disconnected before the directory was read')

/** The size that a directory of some hundred names reports. A file system that reports 0 may have any number of names. */
const smallBytes = 16_384n

const isSmall = (directory: string, { size }: BigIntStats): boolean =>
  size > 0n && size <= smallBytes && kindAt(directory)?.hidesSize !== true
