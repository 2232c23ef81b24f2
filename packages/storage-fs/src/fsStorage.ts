import type { BigIntStats } from 'node:fs'
import {
  type Area,
  Failure,
  type ListEnv,
  type Listing,
  type ListOptions,
  type NodeAtEnv,
  type OpenFileEnv,
  type Signal,
  StoragePath,
} from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { listDirectory } from './read/directory.js'
import { FileProcesses } from './read/FileProcesses.js'
import type { ListQuestion } from './read/messages.js'
import { openEntry } from './read/openEntry.js'
import type { ReaderPool } from './read/ReaderPool.js'
import { type ForeignMountOf, foreignMountOf } from './resolve/areas.js'
import { addPathToCause } from './resolve/errno.js'
import { kindAt } from './resolve/fileSystems.js'
import type { OpenPinned } from './resolve/openPinned.js'
import { PathResolver } from './resolve/PathResolver.js'
import type { StorageResult } from './StorageResult.js'
import type { StorageRoot } from './StorageRoot.js'

/** The storage ports over areas that are directories. A directory is one page. */
export interface FsStorage extends NodeAtEnv, ListEnv, OpenFileEnv {
  /** Lists the content of one moment, if the directory does not change for a moment. Costs twice as much. */
  readonly listSnapshot: ListEnv['list']
}

export interface FsStorageOptions {
  /** Pins a node while it is read; by default in the safest way on this system. */
  readonly pin?: OpenPinned | undefined
  /** Starts a pool of reader processes. Without it this process reads everything itself. */
  readonly startReaders?: (() => ReaderPool) | undefined
  /** Called with the first request for each foreign mount, or for several in one directory (separated by NUL). */
  readonly onForeign?: ((area: Area.Area, mount: string) => void) | undefined
}

/** Creates the storage ports over directories. The location of an area is resolved against `root`. */
export const fsStorage = (root: StorageRoot, options: FsStorageOptions = {}): FsStorage =>
  new DirectoryStorage(root, options)

interface ForeignReaders {
  readonly directories: ReaderPool
  readonly files: FileProcesses
}

class DirectoryStorage implements FsStorage {
  readonly #resolver: PathResolver
  readonly #foreignMount: ForeignMountOf
  readonly #startReaders: FsStorageOptions['startReaders']
  readonly #onForeign: FsStorageOptions['onForeign']
  readonly #localReaders: ReaderPool | undefined
  readonly #root: StorageRoot
  /** Processes of each foreign mount, so that a hanging mount does not delay another. */
  readonly #foreignReaders = new Map<string, ForeignReaders>()
  /** The number of listings in flight, by local area. */
  readonly #inFlight = new Map<Area.AreaLocation, number>()

  constructor(root: StorageRoot, { pin, startReaders, onForeign }: FsStorageOptions) {
    this.#root = root
    this.#resolver = new PathResolver(root, pin)
    this.#foreignMount = foreignMountOf(root)
    this.#startReaders = startReaders
    this.#onForeign = onForeign
    this.#localReaders = startReaders?.()
  }

  readonly nodeAt: FsStorage['nodeAt'] = (area, path, options) => async () => {
    const readers = this.#foreignReadersOf(area, path)
    const node = await (readers?.directories.nodeAt(area, path, options?.signal) ?? this.#resolver.nodeAt(area, path))
    return addPathToFailure(area, path, node)
  }

  readonly openFile: FsStorage['openFile'] = (area, path) => async () => {
    const readers = this.#foreignReadersOf(area, path)
    const opened = await (readers?.files.openFile(area, path) ?? this.#resolver.useEntry(area, path, openEntry))
    return addPathToFailure(area, path, opened)
  }

  readonly list: FsStorage['list'] = (area, path, options) => () => this.#list(area, path, false, options)

  readonly listSnapshot: FsStorage['list'] = (area, path, options) => () => this.#list(area, path, true, options)

  async #list(
    area: Area.Area,
    path: StoragePath.StoragePath,
    isSnapshot: boolean,
    { signal }: ListOptions = {},
  ): Promise<StorageResult<Listing.Listing>> {
    const foreign = this.#foreignReadersOf(area, path)?.directories
    const question = { ask: 'list', area, path, isSnapshot } as const
    const answer = await (foreign === undefined ? this.#listLocal(question, signal) : foreign.list(question, signal))
    return pipe(
      addPathToFailure(area, path, answer),
      E.map((listing) => addPathToUnknown(area, path, listing)),
    )
  }

  async #listLocal(question: ListQuestion, signal: Signal | undefined): Promise<StorageResult<Listing.Listing>> {
    const { area, path, isSnapshot } = question
    const pause = async (): Promise<void> => {
      await yieldToEventLoop()
      if (signal?.aborted === true) throw clientLeft
    }
    const read = (fdPath: string): Promise<StorageResult<Listing.Listing>> =>
      listDirectory(fdPath, { isSnapshot, pause })
    const readers = this.#localReaders
    if (readers === undefined) return this.#resolver.readDirectory(area, path, read)
    const others = this.#inFlight.get(area.location) ?? 0
    this.#inFlight.set(area.location, others + 1)
    try {
      // A second concurrent listing of an area goes to a process.
      if (others > 0) return await readers.list(question, signal)
      // A small directory, or a missing one, takes less time than a message to another process. For a larger one that process
      // resolves the path again, because Node cannot pass a descriptor to it.
      const listing = await this.#resolver.readDirectory<Listing.Listing | undefined>(
        area,
        path,
        async (fdPath, stats) => (isSmall(fdPath, stats) ? read(fdPath) : E.right(undefined)),
      )
      if (E.isLeft(listing)) return listing
      return listing.right === undefined ? await readers.list(question, signal) : E.right(listing.right)
    } finally {
      const rest = (this.#inFlight.get(area.location) ?? 1) - 1
      if (rest === 0) this.#inFlight.delete(area.location)
      else this.#inFlight.set(area.location, rest)
    }
  }

  #foreignReadersOf(area: Area.Area, path: StoragePath.StoragePath): ForeignReaders | undefined {
    const mount = this.#startReaders && this.#foreignMount(area, path)
    if (mount === undefined) return undefined
    const known = this.#foreignReaders.get(mount)
    if (known !== undefined) return known
    this.#onForeign?.(area, mount)
    const directories = this.#startReaders?.()
    if (directories === undefined) return undefined
    const started = { directories, files: new FileProcesses(this.#root) }
    this.#foreignReaders.set(mount, started)
    return started
  }
}

const clientLeft = new Error('the client disconnected before the directory was read')

/** The size that a directory of some hundred names reports. A file system that reports 0 may have any number of names. */
const smallBytes = 16_384n

const isSmall = (directory: string, { size }: BigIntStats): boolean =>
  size > 0n && size <= smallBytes && kindAt(directory)?.hidesSize !== true

const addPathToFailure = <A>(
  area: Area.Area,
  path: StoragePath.StoragePath,
  answer: StorageResult<A>,
): StorageResult<A> =>
  E.isLeft(answer) && answer.left.error === 'external'
    ? E.left(Failure.external(addPathToCause(area, path, answer.left.cause)))
    : answer

const addPathToUnknown = (
  area: Area.Area,
  path: StoragePath.StoragePath,
  listing: Listing.Listing,
): Listing.Listing => {
  if (listing.unknown === undefined) return listing
  const { names, cause } = listing.unknown
  const entry = `${path === StoragePath.root ? '' : path}/${names[0] ?? ''}`
  return { ...listing, unknown: { names, cause: addPathToCause(area, entry, cause) } }
}
