// Where the areas of a storage are, and whether what should be there is.
import { type BigIntStats, readFileSync, readlinkSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Area, type Entry, Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StorageRoot } from '../StorageRoot.js'
import { nodeOfStats, withAdvice } from './decode.js'
import { localNames } from './fileSystems.js'
import { type OpenPinned, type Pinned, procIsMounted } from './openPinned.js'

/** The absolute path of an area's directory: its location, relative to the storage root unless it is absolute. */
export const areaDirectory = (root: StorageRoot, location: Area.AreaLocation): string => resolve(root, location)

/**
 * Whether areas can be read now: the directory that holds them is there and may be entered, and so is `/proc`. On a mount that
 * hangs the process cannot end before it has its answer: ask a reader where the root {@link isForeign}.
 */
export const storageReachable = (root: StorageRoot): TE.TaskEither<Failure.External, void> =>
  pipe(
    TE.fromIOEither(procIsMounted),
    // Only who may search the directory may look at its own dot.
    TE.flatMap(() =>
      TE.tryCatch(
        () => stat(`${root}/.`),
        (thrown) => Failure.external(withAdvice(thrown)),
      ),
    ),
    TE.map(constVoid),
  )

/**
 * Whether a directory is a mount point: its device differs from that of its parent; `/` is one. A bind mount of the device that
 * its parent is on looks like any other directory. Throws what `node:fs` throws.
 */
export const isMountPoint = (
  directory: string,
  stats: BigIntStats = statSync(directory, { bigint: true }),
): boolean => {
  const parent = statSync(`${directory}/..`, { bigint: true })
  return parent.dev !== stats.dev || parent.ino === stats.ino
}

const notMounted = (directory: string): Failure.External =>
  Failure.external(
    new Error(`${directory} was a mount point when it was given to the account, and nothing is mounted there now`),
  )

/** Holds what is at a path of an area; `external` where the area was made on a mount point and is on none now. */
export const pinInArea =
  (root: StorageRoot, hold: OpenPinned) =>
  (area: Area.Area, path: StoragePath.StoragePath): Pinned => {
    const directory = areaDirectory(root, area.location)
    if (area.isMountPoint !== true) return hold(directory, path)
    // While the root is held, what is mounted there cannot be unmounted.
    const held = hold(directory, StoragePath.root)
    if (E.isLeft(held)) return held
    const { fdPath, stats, close } = held.right
    const mounted = pipe(
      E.tryCatch(() => isMountPoint(fdPath, stats()), Failure.external),
      E.filterOrElse(
        (isOne) => isOne,
        () => notMounted(directory),
      ),
    )
    if (E.isRight(mounted) && path === StoragePath.root) return held
    const found = E.isLeft(mounted) ? mounted : hold(fdPath, path)
    close()
    return found
  }

/** What is at the root of an area. */
export interface AreaRoot {
  /** Of the directory itself, by whatever path it is reached: another one after a mount, say. */
  readonly identity: string
  readonly node: Entry.DirectoryNode
}

/** What is at the root of an area at this moment; `undefined` when nothing is, no directory, or not the mount that should be. */
export const areaRootAt =
  (root: StorageRoot) =>
  (area: Area.Area): AreaRoot | undefined => {
    const directory = areaDirectory(root, area.location)
    try {
      const stats = statSync(directory, { bigint: true })
      const node = O.toUndefined(nodeOfStats(stats, directory))
      if (node?.type !== 'dir' || (area.isMountPoint === true && !isMountPoint(directory, stats))) return undefined
      return { identity: `${stats.dev}:${stats.ino}`, node }
    } catch {
      return undefined
    }
  }

/** Where file systems are mounted, and whether each is of a local kind. */
export type Mounts = ReadonlyMap<string, boolean>

/** In the kernel's table a blank, say, is `\040`. */
const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Reads the text of `/proc/self/mountinfo`. What is mounted last at a point hides what was there before. */
export const mountsOf = (mountinfo: string): Mounts =>
  new Map(
    mountinfo.split('\n').flatMap((line): ReadonlyArray<[string, boolean]> => {
      const [mount = '', source = ''] = line.split(' - ')
      const point = mount.split(' ')[4]
      return point === undefined ? [] : [[unescaped(point), localNames.has(source.split(' ')[0] ?? '')]]
    }),
  )

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A path with more links leads in a circle. */
const mostLinks = 40

/** Where a path leads, by its links; up to the first mount point on the way that must not be touched. */
const placeOf = (mounts: Mounts, path: string, links = 0): string => {
  let place = '/'
  const names = path.split('/').filter((name) => name !== '')
  for (const [at, name] of names.entries()) {
    const next = join(place, name)
    if (mounts.get(next) === false) return join(next, ...names.slice(at + 1))
    const link = links < mostLinks ? linkAt(next) : undefined
    if (link !== undefined) return placeOf(mounts, join(resolve(place, link), ...names.slice(at + 1)), links + 1)
    place = next
  }
  return place
}

/** The nearest mount point on the way to a place that is not of a local kind; `/` only where nothing else is mounted there. */
const foreignAbove = (mounts: Mounts, place: string, isOnLocal = false): string | undefined => {
  if (place === '/') return mounts.get(place) === false && !isOnLocal ? place : undefined
  const isLocal = mounts.get(place)
  return isLocal === false ? place : foreignAbove(mounts, dirname(place), isOnLocal || isLocal === true)
}

const readMounts = (): Mounts => {
  try {
    return mountsOf(readFileSync('/proc/self/mountinfo', 'utf8'))
  } catch {
    return new Map()
  }
}

/** The kernel's table is read again after as many milliseconds. */
const tableMs = 1_000

/**
 * The network or FUSE mount that a directory of an area is on, or all that are mounted directly in it, as one text;
 * `undefined` where there is none. Such a file system may hang a process that touches it. Asks the kernel's table alone.
 */
export type ForeignMountOf = (area: Area.Area, path: StoragePath.StoragePath) => string | undefined

export const foreignMountOf = (root: StorageRoot, read = readMounts, now = () => performance.now()): ForeignMountOf => {
  let readAt = Number.NEGATIVE_INFINITY
  let mounts: Mounts = new Map()
  const foreignIn = new Map<string, string>()
  const places = new Map<string, string>()
  const readAgain = (): void => {
    readAt = now()
    mounts = read()
    places.clear()
    foreignIn.clear()
    for (const [point, isLocal] of mounts) {
      const above = dirname(point)
      const others = foreignIn.get(above)
      if (!isLocal) foreignIn.set(above, others === undefined ? point : `${others}\0${point}`)
    }
  }
  return ({ location }, path) => {
    if (now() - readAt >= tableMs) readAgain()
    const above = places.get(location) ?? placeOf(mounts, areaDirectory(root, location))
    places.set(location, above)
    const place = path === StoragePath.root ? above : join(above, path)
    return foreignAbove(mounts, place) ?? foreignIn.get(place)
  }
}

/** Whether a directory is on a network or FUSE mount. */
export const isForeign = (directory: string, mounts: Mounts = readMounts()): boolean =>
  foreignAbove(mounts, placeOf(mounts, directory)) !== undefined

/** Whether a directory is a mount point, or holds one anywhere below it. */
export const holdsMount = (directory: string, mounts: Mounts = readMounts()): boolean => {
  const place = placeOf(mounts, directory)
  return [...mounts.keys()].some((point) => point === place || point.startsWith(`${place}/`))
}

/** The network and FUSE mounts that a directory is on, or that are anywhere below it. */
export const foreignMountsOf = (directory: string, mounts: Mounts = readMounts()): ReadonlyArray<string> => {
  const place = placeOf(mounts, directory)
  const above = foreignAbove(mounts, place)
  const below = [...mounts].flatMap(([point, isLocal]) => (!isLocal && point.startsWith(`${place}/`) ? [point] : []))
  return above === undefined ? below : [above, ...below]
}
