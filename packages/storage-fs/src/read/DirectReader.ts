import { type BigIntStats, lstatSync } from 'node:fs'
import { type Area, type Entry, Failure, type Listing, type OpenedFile, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { areaDirectory, pinInArea } from '../resolve/areas.js'
import { nodeOfStats } from '../resolve/decode.js'
import { errnoOf } from '../resolve/errno.js'
import { kindAt } from '../resolve/fileSystems.js'
import { areListed, unsureNames } from '../resolve/foldedNames.js'
import { lookUp, type OpenPinned, openPinned } from '../resolve/openPinned.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type DirectoryOptions, listDirectory } from './directory.js'
import type { ListQuestion } from './messages.js'
import { openEntry, type PinnedEntry } from './openEntry.js'

type Pause = DirectoryOptions['pause']

/** Reads a pinned directory. */
type ReadDirectory<A> = (fdPath: string, stats: BigIntStats) => Promise<StorageResult<A>>

/** The size that a directory of some hundred names reports. A file system that reports 0 may have any number of names. */
const smallBytes = 16_384n

const isSmall = (directory: string, { size }: BigIntStats): boolean =>
  size > 0n && size <= smallBytes && kindAt(directory)?.hidesSize !== true

/** A directory that moves repeatedly must not block its caller. */
const maxTries = 8

const movedEachTime = Failure.external(
  new Error(`the directory was moved during each of ${maxTries} attempts to read it`),
)
const replaced = Failure.external(new Error('the file or directory at the path was replaced while it was being read'))
const rootIsGone = Failure.external(new Error('the root of the area was removed while it was being read'))

/** Resolves paths without a race and reads their nodes, in this process. */
export class DirectReader {
  readonly #root: StorageRoot
  readonly #pin: ReturnType<typeof pinInArea>
  readonly #enter: (fdPath: string) => string

  /** @param enter returns the path by which to look up the entries of a directory; by default the same */
  constructor(root: StorageRoot, pin: OpenPinned = openPinned, enter = (fdPath: string): string => fdPath) {
    this.#root = root
    this.#pin = pinInArea(root, pin)
    this.#enter = enter
  }

  nodeAt(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<Entry.Node>> {
    return this.#useEntry(area, path, ({ stats, entryPath }) =>
      E.fromOption(() => Failure.fileNotFound)(nodeOfStats(stats, entryPath)),
    )
  }

  openFile(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<OpenedFile>> {
    return this.#useEntry(area, path, openEntry)
  }

  /** Lists a directory. Awaits `pause` between steps; its rejection cancels the reading. */
  list({ area, path, isSnapshot }: ListQuestion, pause: Pause): Promise<StorageResult<Listing.Listing>> {
    return this.#readDirectory(area, path, (fdPath) => listDirectory(this.#enter(fdPath), { isSnapshot, pause }))
  }

  /** Lists a directory of some hundred names. The result is `undefined` for a larger one. */
  listIfSmall(
    { area, path, isSnapshot }: ListQuestion,
    pause: Pause,
  ): Promise<StorageResult<Listing.Listing | undefined>> {
    return this.#readDirectory<Listing.Listing | undefined>(area, path, async (fdPath, stats) =>
      isSmall(fdPath, stats) ? listDirectory(fdPath, { isSnapshot, pause }) : E.right(undefined),
    )
  }

  /** Looks up the last name of a path in its pinned parent directory, and uses the entry. The root is pinned itself. */
  async #useEntry<A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    use: (entry: PinnedEntry) => StorageResult<A>,
  ): Promise<StorageResult<A>> {
    const parent = O.toUndefined(StoragePath.parent(path))
    const pin = this.#pin(area, parent ?? path)
    if (E.isLeft(pin)) return pin
    const pinned = pin.right
    try {
      if (parent === undefined) return use({ pinned, entryPath: pinned.fdPath, stats: pinned.stats() })
      const entryPath = `${pinned.fdPath}/${StoragePath.name(path)}`
      const found = lookUp(pinned, () => lstatSync(entryPath, { bigint: true }))
      if (E.isLeft(found)) {
        const parentStats = pinned.stats()
        return parentStats.isDirectory()
          ? found
          : await this.#notADirectory(area, pinned.blockedAt ?? parent, parentStats)
      }
      const unsure = unsureNames(areaDirectory(this.#root, area.location), path, found.right.dev, pinned.fdPath)
      if (unsure.length > 0 && !(await areListed(unsure))) return E.left(Failure.fileNotFound)
      return use({ pinned, entryPath, stats: found.right })
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    } finally {
      pinned.close()
    }
  }

  /** Reads a directory. Reads it again if it moved during the read, because it may have been read in another place. */
  async #readDirectory<A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    read: ReadDirectory<A>,
  ): Promise<StorageResult<A>> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const answer = await this.#readOnce(area, path, read)
      if (answer === 'moved') continue
      // Every area has a root, so losing it during the read is the same failure as a missing root.
      const isRootGone = E.isLeft(answer) && path === StoragePath.root && answer.left.error !== 'external'
      return isRootGone ? E.left(rootIsGone) : answer
    }
    return E.left(movedEachTime)
  }

  async #readOnce<A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    read: ReadDirectory<A>,
  ): Promise<StorageResult<A> | 'moved'> {
    const pinned = this.#pin(area, path)
    if (E.isLeft(pinned)) return pinned
    const { fdPath, blockedAt, stats, isInPlace, close } = pinned.right
    try {
      const nodeStats = stats()
      const checked = nodeStats.isDirectory()
        ? await this.#checkNames(area, path, nodeStats.dev, fdPath)
        : await this.#notADirectory(area, blockedAt ?? path, nodeStats)
      const answer = E.isLeft(checked) ? checked : await read(fdPath, nodeStats)
      return isInPlace() ? answer : 'moved'
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    } finally {
      close()
    }
  }

  /** Fails if the path to a pinned directory spells a name in another way than its directory lists it. */
  async #checkNames(
    area: Area.Area,
    path: StoragePath.StoragePath,
    dev: bigint,
    fdPath: string,
  ): Promise<StorageResult<unknown>> {
    const unsure = E.tryCatch(
      () => unsureNames(areaDirectory(this.#root, area.location), path, dev, `${fdPath}/..`),
      Failure.external,
    )
    if (E.isRight(unsure))
      return unsure.right.length === 0 || (await areListed(unsure.right)) ? unsure : E.left(Failure.fileNotFound)
    // Without the permission to search, `..` fails too, so `nodeAt` checks the names from the parent directory.
    return errnoOf(unsure.left.cause) === 'EACCES' ? this.nodeAt(area, path) : unsure
  }

  /** Returns `type mismatch` for a look-up in a file, but only if its directory lists it as a file. */
  async #notADirectory(
    area: Area.Area,
    path: StoragePath.StoragePath,
    stats: BigIntStats,
  ): Promise<StorageResult<never>> {
    if (!stats.isFile()) return E.left(Failure.fileNotFound)
    const node = await this.nodeAt(area, path)
    if (E.isLeft(node)) return node
    return E.left(node.right.type === 'file' ? Failure.typeMismatch : replaced)
  }
}
