import { type BigIntStats, lstatSync } from 'node:fs'
import { type Area, type Entry, Failure, type Listing, type OpenedFile, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { areaDirectory, pinInArea } from '../resolve/areas.js'
import { errnoOf, nodeOfStats } from '../resolve/decode.js'
import { kindAt } from '../resolve/fileSystems.js'
import { unsureNames, whereListed } from '../resolve/foldedNames.js'
import { lookUp, type OpenPinned, openPinned, type PinnedNode } from '../resolve/openPinned.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type DirectoryOptions, listDirectory } from './directory.js'
import type { ListQuestion } from './messages.js'
import { openEntry, type PinnedEntry } from './openEntry.js'

type Pause = DirectoryOptions['pause']

/** Reads a pinned directory by a path to it. */
type ReadPinned<A> = (directory: string, stats: BigIntStats) => Promise<StorageResult<A>>

/** The size that a directory of some hundred names reports. A file system that reports 0 may have any number of names. */
const smallBytes = 16_384n

const isSmall = (directory: string, { size }: BigIntStats): boolean =>
  size > 0n && size <= smallBytes && kindAt(directory)?.hidesSize !== true

/** A directory that moves repeatedly must not block its caller. */
const maxTries = 8

const movedEachTime = Failure.external(
  new Error(`the directory was moved during each of ${maxTries} attempts to read it`),
)
const replaced = Failure.external(new Error('the node at the path was replaced while it was being read'))
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
    const parent = StoragePath.parent(path)
    if (O.isNone(parent)) return this.#withPinned(area, path, ({ stats, fdPath }) => nodeOf(stats(), fdPath))
    return this.#withEntry(area, path, parent.value, ({ stats, entryPath }) => nodeOf(stats, entryPath))
  }

  async openFile(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<OpenedFile>> {
    const parent = StoragePath.parent(path)
    if (O.isSome(parent)) return this.#withEntry(area, path, parent.value, openEntry)
    const root = await this.nodeAt(area, path)
    return E.isLeft(root) ? root : E.left(Failure.typeMismatch)
  }

  /** Looks up the last name of a path in its pinned parent directory. */
  #withEntry<A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    parent: StoragePath.StoragePath,
    use: (entry: PinnedEntry) => StorageResult<A>,
  ): Promise<StorageResult<A>> {
    return this.#withPinned(area, parent, (pinned) => {
      const entryPath = `${pinned.fdPath}/${StoragePath.name(path)}`
      const found = lookUp(pinned, () => lstatSync(entryPath, { bigint: true }))
      if (E.isLeft(found)) {
        const stats = pinned.stats()
        return stats.isDirectory() ? found : this.#notADirectory(area, pinned.blocks ?? parent, stats)
      }
      const directory = areaDirectory(this.#root, area.location)
      const unsure = unsureNames(directory, path, found.right.dev, pinned.fdPath)
      const entry = { parent: pinned, entryPath, stats: found.right }
      return unsure.length === 0 ? use(entry) : whereListed(unsure, async () => use(entry))
    })
  }

  /** Lists a directory. Awaits `pause` between steps; its rejection cancels the reading. */
  list({ area, path, isSnapshot }: ListQuestion, pause: Pause): Promise<StorageResult<Listing.Listing>> {
    return this.#read(area, path, (fdPath) => listDirectory(this.#enter(fdPath), { isSnapshot, pause }))
  }

  /** Lists a directory of some hundred names. The result is `undefined` for a larger one. */
  listIfSmall(
    { area, path, isSnapshot }: ListQuestion,
    pause: Pause,
  ): Promise<StorageResult<Listing.Listing | undefined>> {
    return this.#read<Listing.Listing | undefined>(area, path, async (fdPath, stats) =>
      isSmall(fdPath, stats) ? listDirectory(fdPath, { isSnapshot, pause }) : E.right(undefined),
    )
  }

  /** Reads a directory. Reads it again if it moved during the read, because it may have been read in another place. */
  async #read<A>(area: Area.Area, path: StoragePath.StoragePath, read: ReadPinned<A>): Promise<StorageResult<A>> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const answer = await this.#withPinned(area, path, async (pinned) => {
        const listing = await this.#readPinned(pinned, area, path, read)
        return pinned.isInPlace() ? pipe(listing, E.map(O.some)) : E.right(O.none)
      })
      // Every area has a root, so losing it during the read is the same failure as a missing root.
      if (E.isLeft(answer))
        return path === StoragePath.root && answer.left.error !== 'external' ? E.left(rootIsGone) : answer
      if (O.isSome(answer.right)) return E.right(answer.right.value)
    }
    return E.left(movedEachTime)
  }

  async #withPinned<A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    use: (pinned: PinnedNode) => Promise<StorageResult<A>> | StorageResult<A>,
  ): Promise<StorageResult<A>> {
    const pinned = this.#pin(area, path)
    if (E.isLeft(pinned)) return pinned
    try {
      return await use(pinned.right)
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    } finally {
      pinned.right.close()
    }
  }

  async #readPinned<A>(
    { stats, blocks, fdPath }: PinnedNode,
    area: Area.Area,
    path: StoragePath.StoragePath,
    read: ReadPinned<A>,
  ): Promise<StorageResult<A>> {
    const its = stats()
    if (!its.isDirectory()) return this.#notADirectory(area, blocks ?? path, its)
    const unsure = E.tryCatch(
      () => unsureNames(areaDirectory(this.#root, area.location), path, its.dev, `${fdPath}/..`),
      Failure.external,
    )
    const readThis = (): Promise<StorageResult<A>> => read(fdPath, its)
    if (E.isRight(unsure)) return unsure.right.length === 0 ? readThis() : whereListed(unsure.right, readThis)
    if (errnoOf(unsure.left.cause) !== 'EACCES') return unsure
    // A directory that may be read but not searched leads nowhere, not even to its parent.
    const node = await this.nodeAt(area, path)
    return E.isLeft(node) ? node : readThis()
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

/** Builds the node from its `stats`. `path` leads to it. */
const nodeOf = (stats: BigIntStats, path: string): StorageResult<Entry.Node> =>
  pipe(
    nodeOfStats(stats, path),
    E.fromOption(() => Failure.fileNotFound),
  )
