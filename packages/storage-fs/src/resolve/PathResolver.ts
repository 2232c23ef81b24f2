import { type BigIntStats, lstatSync } from 'node:fs'
import { type Area, type Entry, Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { areaDirectory, pinInArea } from './areas.js'
import { nodeOfStats } from './decode.js'
import { errnoOf } from './errno.js'
import { areListed, unsureNames } from './foldedNames.js'
import { lookUp, type OpenPinned, openPinned, type PinnedNode } from './openPinned.js'

/** An entry of a pinned directory, which may be replaced at any time; or the root of an area, which is pinned itself. */
export interface PinnedEntry {
  readonly pinned: PinnedNode
  /** Begins with the `fdPath` of the pinned node. */
  readonly entryPath: string
  readonly stats: BigIntStats
}

/** Reads a pinned directory. */
type ReadDirectory<A> = (fdPath: string, stats: BigIntStats) => Promise<StorageResult<A>>

/** A directory that moves repeatedly must not block its caller. */
const maxTries = 8

const movedEachTime = Failure.external(
  new Error(`the directory was moved during each of ${maxTries} attempts to read it`),
)
const replaced = Failure.external(new Error('the file or directory at the path was replaced while it was being read'))
const rootIsGone = Failure.external(new Error('the root of the area was removed while it was being read'))

/** Resolves the paths of areas without a race. A node or its directory is pinned while it is read. */
export class PathResolver {
  readonly #root: StorageRoot
  readonly #pin: ReturnType<typeof pinInArea>

  constructor(root: StorageRoot, pin: OpenPinned = openPinned) {
    this.#root = root
    this.#pin = pinInArea(root, pin)
  }

  nodeAt(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<Entry.Node>> {
    return this.useEntry(area, path, ({ stats, entryPath }) =>
      E.fromOption(() => Failure.fileNotFound)(nodeOfStats(stats, entryPath)),
    )
  }

  /** Looks up the last name of a path in its pinned parent directory, and uses the entry. The root is pinned itself. */
  async useEntry<A>(
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

  /** Reads a directory. A directory that moves during the read may have been read in another place, so it is read again. */
  async readDirectory<A>(
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
