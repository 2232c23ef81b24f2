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
import { type ForeignMountOf, foreignMountOf } from '../resolve/areas.js'
import { errnoOf, withHint } from '../resolve/errno.js'
import type { OpenPinned } from '../resolve/openPinned.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { DirectReader } from './DirectReader.js'
import { FileProcesses } from './FileProcesses.js'
import type { ListQuestion } from './messages.js'
import type { ReaderPool } from './ReaderPool.js'

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
  readonly #direct: DirectReader
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
    this.#direct = new DirectReader(root, pin)
    this.#foreignMount = foreignMountOf(root)
    this.#startReaders = startReaders
    this.#onForeign = onForeign
    this.#localReaders = startReaders?.()
  }

  readonly nodeAt: FsStorage['nodeAt'] = (area, path, options) => async () => {
    const readers = this.#foreignReadersOf(area, path)
    const node = await (readers?.directories.nodeAt(area, path, options?.signal) ?? this.#direct.nodeAt(area, path))
    return addPathToFailure(area, path, node)
  }

  readonly openFile: FsStorage['openFile'] = (area, path) => async () => {
    const readers = this.#foreignReadersOf(area, path)
    const opened = await (readers?.files ?? this.#direct).openFile(area, path)
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
    const { location } = question.area
    const pause = async (): Promise<void> => {
      await yieldToEventLoop()
      if (signal?.aborted === true) throw clientLeft
    }
    const readers = this.#localReaders
    if (readers === undefined) return this.#direct.list(question, pause)
    const others = this.#inFlight.get(location) ?? 0
    this.#inFlight.set(location, others + 1)
    try {
      // A second concurrent listing of an area goes to a process.
      if (others > 0) return await readers.list(question, signal)
      // Reading one small directory, or finding none, takes less time than a message to another process. That process resolves the
      // path again, because Node cannot pass a descriptor to it.
      const small = await this.#direct.listIfSmall(question, pause)
      if (E.isLeft(small)) return small
      return small.right === undefined ? await readers.list(question, signal) : E.right(small.right)
    } finally {
      const rest = (this.#inFlight.get(location) ?? 1) - 1
      if (rest === 0) this.#inFlight.delete(location)
      else this.#inFlight.set(location, rest)
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

/**
 * Names the path in an error of `node:fs`, which names a descriptor or the working directory instead:
 * `EACCES: permission denied, lstat '/proc/7/fd/9/b'` becomes `EACCES: permission denied, lstat '/a/b' in area 'x'`.
 */
const addPathToCause = ({ location }: Area.Area, path: string, cause: unknown): unknown => {
  const place = ` '${path}' in area '${location}'`
  if (!(cause instanceof Error) || cause.message.includes(place)) return cause
  const message = cause.message.replace(/( '.*')?$/s, (name) => (name === '' ? `:${place}` : place))
  return withHint(Object.assign(new Error(message), 'code' in cause ? { code: errnoOf(cause) } : {}))
}

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
