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
import type { StorageResult } from '../StorageResult.js'
import { errnoOf, failureOfErrno } from './errno.js'

/** A node of any kind. By descriptor it stays the same node until it is closed, even if it is renamed or replaced. */
export interface PinnedNode {
  /** The path of this node, if it is not a directory and the requested path runs through it. */
  readonly blockedAt?: StoragePath.StoragePath
  /** Throws errors of `node:fs`. */
  readonly stats: () => BigIntStats
  /** Leads to a directory while it is pinned. Below any other node, look-ups fail with ENOTDIR. */
  readonly fdPath: string
  /**
   * Reports whether the node and all directories above it are where they were. Always true by path, and of a node whose real path
   * is longer than 4,096 bytes, because the kernel does not report that path. Throws if the system does not answer.
   */
  readonly isInPlace: () => boolean
  readonly close: () => void
}

export type Pinned = StorageResult<PinnedNode>

/**
 * Pins the node at a path of the area in `directory`, or the first node on the way that is not a directory. Never opens a node
 * for reading. Follows no links below `directory`. Where the file system folds names, any spelling of a name leads to the
 * node: see `foldedNames.ts`.
 */
export type OpenPinned = (directory: string, path: StoragePath.StoragePath) => Pinned

/**
 * Looks up an entry of a pinned directory, by a path that starts with its `fdPath`. If that path stops working because `/proc`
 * is gone, the failure is `external`, because the entry may exist.
 */
export const lookUp = <A>(at: PinnedNode, look: () => A): StorageResult<A> => {
  const found = E.tryCatch(look, failureOfErrno)
  if (E.isRight(found)) return found
  // Only a failure counts: the node itself cannot be reached any longer.
  const reachable = E.tryCatch(at.isInPlace, Failure.external)
  return E.isLeft(reachable) ? reachable : found
}

/** Descends name by name, and closes each node on the way, `root` included. `open` must not follow a link. */
const descend = (open: (path: string) => PinnedNode, root: PinnedNode, path: StoragePath.StoragePath): Pinned => {
  let pinned: Pinned = E.right(root)
  let reached = ''
  for (const name of StoragePath.segments(path)) {
    if (E.isLeft(pinned)) return pinned
    const at: PinnedNode = pinned.right
    const isDirectory = E.tryCatch(() => at.stats().isDirectory(), Failure.external)
    if (E.isRight(isDirectory) && !isDirectory.right) return E.right({ ...at, blockedAt: reached as typeof path })
    pinned = E.isLeft(isDirectory) ? isDirectory : lookUp(at, () => open(`${at.fdPath}/${name}`))
    at.close()
    reached += `/${name}`
  }
  return pinned
}

// By descriptor, on Linux

// Opens a name without its content, so that a FIFO does not block and a device does not wake. Node has no constant for it.
const O_PATH = 0x200000

// The number of this process instead of `/proc/self`, because the link costs a tenth of the time of each look-up.
const descriptors = pipe(
  E.tryCatch(
    () => `/proc/${readlinkSync('/proc/self')}/fd`,
    () => '/proc/self/fd',
  ),
  E.toUnion,
)

/**
 * An absolute path without links. As latin1, one character for each byte, so that names that are not UTF-8 stay distinct. Empty if
 * it is longer than the kernel reports.
 */
type RealPath = string

const latin1 = (path: string): string => Buffer.from(path).toString('latin1')

/** Returns the path to which a descriptor leads. Errors have no code: an ENOENT here says nothing about the requested path. */
const realPathAt = (fdPath: string): RealPath => {
  try {
    return readlinkSync(fdPath, { encoding: 'latin1' })
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENAMETOOLONG') return ''
    throw new Error(`cannot resolve the path of an open file: ${String(thrown)}`, { cause: thrown })
  }
}

interface OpenNode extends PinnedNode {
  /** When it was opened. */
  readonly realPath: RealPath
}

export const closeDescriptor = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    // Linux has released the descriptor, and nothing was written.
  }
}

const openNode = (path: string, flags: number): OpenNode => {
  const fd = openSync(path, O_PATH | flags)
  const fdPath = `${descriptors}/${fd}`
  try {
    const realPath = realPathAt(fdPath)
    return {
      stats: () => fstatSync(fd, { bigint: true }),
      fdPath,
      realPath,
      isInPlace: () => realPathAt(fdPath) === realPath,
      close: () => closeDescriptor(fd),
    }
  } catch (thrown) {
    closeDescriptor(fd)
    throw thrown
  }
}

const openName = (path: string): OpenNode => openNode(path, constants.O_NOFOLLOW)

/** Opens a whole path in one call. Returns the node only if it is at the expected real path, because then no link was followed. */
const openWhole = (path: string, expected: RealPath): PinnedNode | undefined => {
  try {
    const node = openName(path)
    if (node.realPath === expected) return node
    node.close()
  } catch {
    // A missing name, a link or a file on the way, or a path too long for one call. Descending decides which.
  }
  return undefined
}

/**
 * Race-free: a directory that is swapped for a link leads nowhere. Tries in this order:
 *
 * 1. the whole path in one call, which suffices if no link is on it;
 * 2. the path below the opened area, if only the path of the area has links;
 * 3. name by name.
 */
export const pinByDescriptor: OpenPinned = (directory, path) => {
  const whole = directory === '/' ? path : `${directory}${path}`
  const node = path === StoragePath.root ? undefined : openWhole(whole, latin1(whole))
  if (node !== undefined) return E.right(node)
  const opened = E.tryCatch(() => openNode(directory, constants.O_DIRECTORY), Failure.external)
  if (E.isLeft(opened) || path === StoragePath.root) return opened
  const root = opened.right
  // With an unknown real path of the area, `path` itself would be expected, and a link to that path outside of the area would pass.
  const below =
    root.realPath === ''
      ? undefined
      : openWhole(`${root.fdPath}${path}`, (root.realPath === '/' ? '' : root.realPath) + latin1(path))
  if (below === undefined) return descend(openName, root, path)
  root.close()
  return E.right(below)
}

// By path, on other systems

/** Look-ups below it fail with ENOTDIR. */
const nowhere = '/dev/null'

const statNode = (path: string): PinnedNode => {
  const stats = lstatSync(path, { bigint: true })
  // The system would follow a link.
  const fdPath = stats.isDirectory() ? path : nowhere
  return { stats: () => stats, fdPath, isInPlace: () => true, close: constVoid }
}

const statRoot = (directory: string): PinnedNode => {
  const root = statNode(realpathSync(directory))
  if (root.stats().isDirectory()) return root
  throw Object.assign(new Error('the root of the area is not a directory'), { code: 'ENOTDIR' })
}

/**
 * For systems without Linux's `/proc`, such as macOS. NOT race-free: it checks one name after the other, and a writer of the
 * area may swap a directory for a link after the check.
 */
export const pinByPath: OpenPinned = (directory, path) => {
  const root = E.tryCatch(() => statRoot(directory), Failure.external)
  return E.isLeft(root) ? root : descend(statNode, root.right, path)
}

const isLinux = process.platform === 'linux'

/** Pins in the safest way on this system. Never by path on Linux, where a link could be swapped in. */
export const openPinned: OpenPinned = isLinux ? pinByDescriptor : pinByPath

/** The type of proc(5) that statfs(2) reports. */
const procType = 0x9fa0

const procMissing = (cause?: unknown): Failure.External =>
  Failure.external(
    new Error('/proc is not mounted here, and Canopy resolves paths through it: run `mount -t proc proc /proc`', {
      cause,
    }),
  )

/** Checks on Linux that `/proc` is mounted. Without it every call of the storage is `external`. */
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
