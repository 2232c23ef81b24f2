// How a path of an area is resolved without a race: what is found is held, and is the same thing until it is closed.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statfsSync,
} from 'node:fs'
import { Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import type * as IOE from 'fp-ts/lib/IOEither.js'
import { errnoOf, failureOfErrno } from './decode.js'

/** Something that the file system has, of any kind; the same thing until it is closed, wherever its name goes. */
export interface PinnedNode {
  /** Its own path, when this is no directory and the path that was asked for runs through it. */
  readonly blocks?: StoragePath.StoragePath
  /** Throws what `node:fs` throws. */
  readonly stats: () => BigIntStats
  /** A path that leads to it while it is held. Below that of what is no directory nothing is found: it is ENOTDIR. */
  readonly fdPath: string
  /**
   * Whether neither it nor anything that leads to it was moved or removed. True of a node whose real path is longer than the
   * kernel reports, 4,096 bytes. Throws when the system does not answer.
   */
  readonly isInPlace: () => boolean
  readonly close: () => void
}

export type Pinned = E.Either<Failure.OfStorage, PinnedNode>

/**
 * Holds what is at a path of the area in `directory`, or what is no directory on the way there; never opens it for reading.
 * Only real directories lead to it: no links, except on the way to `directory` itself. Where the file system folds names, any
 * spelling of a name leads to it: see `fileSystems.ts`.
 */
export type OpenPinned = (directory: string, path: StoragePath.StoragePath) => Pinned

/**
 * Looks for something directly in a held directory, by a path that starts with `fdPath`. When that path itself stops
 * working, because `/proc` is gone, the failure is `external`: it says nothing about the name.
 */
export const lookUp = <A>(at: PinnedNode, look: () => A): E.Either<Failure.OfStorage, A> => {
  const found = E.tryCatch(look, failureOfErrno)
  if (E.isRight(found)) return found
  const isInPlace = E.tryCatch(at.isInPlace, Failure.external)
  return E.isLeft(isInPlace) ? isInPlace : found
}

/** Goes down name by name from the root of an area, which it closes; as far as directories lead. `hold` follows no link. */
const descend = (hold: (path: string) => PinnedNode, root: PinnedNode, path: StoragePath.StoragePath): Pinned => {
  let held: Pinned = E.right(root)
  let reached = ''
  for (const name of StoragePath.segments(path)) {
    if (E.isLeft(held)) return held
    const at: PinnedNode = held.right
    const isDirectory = E.tryCatch(() => at.stats().isDirectory(), Failure.external)
    if (E.isRight(isDirectory) && !isDirectory.right) return E.right({ ...at, blocks: reached as typeof path })
    held = E.isLeft(isDirectory) ? isDirectory : lookUp(at, () => hold(`${at.fdPath}/${name}`))
    at.close()
    reached += `/${name}`
  }
  return held
}

// By descriptor, on Linux

// Opens the name, not what it holds, so that no FIFO blocks and no device wakes. Node has no constant for it.
const O_PATH = 0x200000

// The kernel's own name for this process: a path through the link `self` costs a tenth more, for each entry of a listing.
const descriptors = pipe(
  E.tryCatch(
    () => `/proc/${readlinkSync('/proc/self')}/fd`,
    () => '/proc/self/fd',
  ),
  E.toUnion,
)

/** A path of which each byte is a character, so that all names compare. Empty where it is longer than the kernel reports. */
type Place = string

const placeOf = (path: string): Place => Buffer.from(path).toString('latin1')

/** No error of this call says anything about the path that is resolved, so none keeps its code. */
const placeAt = (fdPath: string): Place => {
  try {
    return readlinkSync(fdPath, { encoding: 'latin1' })
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENAMETOOLONG') return ''
    throw new Error(`the system does not say where an open file is: ${String(thrown)}`, { cause: thrown })
  }
}

interface Placed extends PinnedNode {
  /** Where it was found, seen from the real root. */
  readonly place: Place
}

/** A descriptor that reads nothing has nothing to report when it is closed. */
const close = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    // Linux has released it all the same.
  }
}

const open = (path: string, flags: number): Placed => {
  const fd = openSync(path, O_PATH | flags)
  const fdPath = `${descriptors}/${fd}`
  try {
    const place = placeAt(fdPath)
    return {
      stats: () => fstatSync(fd, { bigint: true }),
      fdPath,
      place,
      isInPlace: () => placeAt(fdPath) === place,
      close: () => close(fd),
    }
  } catch (thrown) {
    close(fd)
    throw thrown
  }
}

const openName = (path: string): Placed => open(path, constants.O_NOFOLLOW)

/** Pinned if it is where it should be: then no link led to it. `undefined` decides nothing: the next way is tried. */
const atOnce = (path: string, place: Place): PinnedNode | undefined => {
  try {
    const node = openName(path)
    if (node.place === place) return node
    node.close()
  } catch {
    // Nothing there, a link or a file in the way, a path longer than the kernel takes: decided name by name.
  }
  return undefined
}

/**
 * Race-free: a directory that is swapped for a link leads nowhere. The common case takes one step: no link is on the whole
 * way. Else the way to the area may have links, and none below it; then name by name.
 */
export const pinByDescriptor: OpenPinned = (directory, path) => {
  const whole = `${directory}${path}`
  const node = path === StoragePath.root ? undefined : atOnce(whole, placeOf(whole))
  if (node !== undefined) return E.right(node)
  const opened = E.tryCatch(() => open(directory, constants.O_DIRECTORY), Failure.external)
  if (E.isLeft(opened) || path === StoragePath.root) return opened
  const root = opened.right
  // Below a place that is not known, a link could lead to the same path from the real root.
  const below = root.place === '' ? undefined : atOnce(`${root.fdPath}${path}`, root.place + placeOf(path))
  if (below === undefined) return descend(openName, root, path)
  root.close()
  return E.right(below)
}

// By path, on other systems

/** Nothing is found below it. */
const nowhere = '/dev/null'

const lookAt = (path: string): PinnedNode => {
  const stats = lstatSync(path, { bigint: true })
  // A link would be followed.
  const fdPath = stats.isDirectory() ? path : nowhere
  return { stats: () => stats, fdPath, isInPlace: () => true, close: constVoid }
}

const lookAtRoot = (directory: string): PinnedNode => {
  const root = lookAt(realpathSync(directory))
  if (root.stats().isDirectory()) return root
  throw Object.assign(new Error('the root of the area is not a directory'), { code: 'ENOTDIR' })
}

/**
 * For systems without the /proc of Linux, such as macOS. NOT race-free: it looks at names, one after the other, and anyone
 * who can write to the area may swap a directory for a link after it was looked at.
 */
export const pinByPath: OpenPinned = (directory, path) => {
  const root = E.tryCatch(() => lookAtRoot(directory), Failure.external)
  return E.isLeft(root) ? root : descend(lookAt, root.right, path)
}

// What this system has

const isLinux = process.platform === 'linux'

/** The best way this system has. On Linux no other than by descriptor: by path a link could be swapped in. */
export const openPinned: OpenPinned = isLinux ? pinByDescriptor : pinByPath

/** The type of proc(5), as statfs(2) reports it. */
const procType = 0x9fa0

const procMissing = (cause?: unknown): Failure.External =>
  Failure.external(
    new Error('/proc is not mounted here, and Canopy resolves paths through it: run `mount -t proc proc /proc`', {
      cause,
    }),
  )

/** On Linux, whether `/proc` is there, without which every question to the storage is answered `external`. */
export const procIsMounted: IOE.IOEither<Failure.External, void> = () =>
  isLinux
    ? pipe(
        E.tryCatch(() => statfsSync('/proc').type, procMissing),
        E.filterOrElse(
          (type) => type === procType,
          () => procMissing(),
        ),
        E.map(constVoid),
      )
    : E.right(undefined)
