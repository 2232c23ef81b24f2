import { readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Area, StoragePath } from '@canopy/domain'
import type { StorageRoot } from '../StorageRoot.js'
import { areaDirectory } from './areas.js'
import { localNames } from './fileSystems.js'

interface Mount {
  /** Whether the file system is of a local kind. */
  readonly isLocal: boolean
  /** The number of the mount and the device. Another mount at the same point has another identity. */
  readonly identity: string
}

/** The mounts by mount point. */
export type Mounts = ReadonlyMap<string, Mount>

/** Decodes the escapes of the kernel's table, such as `\040` for a blank. */
const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Parses the text of `/proc/self/mountinfo`. A later mount at the same point hides the earlier one. */
export const mountsOf = (mountinfo: string): Mounts =>
  new Map(
    mountinfo.split('\n').flatMap((line): ReadonlyArray<[string, Mount]> => {
      const [mount = '', source = ''] = line.split(' - ')
      const [number, , device, , point] = mount.split(' ')
      const isLocal = localNames.has(source.split(' ')[0] ?? '')
      return point === undefined ? [] : [[unescaped(point), { isLocal, identity: `${number}:${device}` }]]
    }),
  )

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A path with more links counts as a loop. */
const maxLinks = 40

/** Resolves the links of a path, up to the first foreign mount point on the way, which must not be touched. */
const resolveLinks = (mounts: Mounts, path: string, linkCount = 0): string => {
  let reached = '/'
  const names = path.split('/').filter((name) => name !== '')
  for (const [index, name] of names.entries()) {
    const next = join(reached, name)
    if (mounts.get(next)?.isLocal === false) return join(next, ...names.slice(index + 1))
    const link = linkCount < maxLinks ? linkAt(next) : undefined
    if (link !== undefined)
      return resolveLinks(mounts, join(resolve(reached, link), ...names.slice(index + 1)), linkCount + 1)
    reached = next
  }
  return reached
}

/** Returns the nearest foreign mount point at or above a directory without links; `/` only if no local mount lies between. */
const foreignAbove = (mounts: Mounts, directory: string, isOnLocal = false): string | undefined => {
  const isLocal = mounts.get(directory)?.isLocal
  if (directory === '/') return isLocal === false && !isOnLocal ? directory : undefined
  return isLocal === false ? directory : foreignAbove(mounts, dirname(directory), isOnLocal || isLocal === true)
}

/** Returns the foreign mount points for which `isWanted` returns true. */
const foreignPoints = (mounts: Mounts, isWanted: (point: string) => boolean): ReadonlyArray<string> =>
  [...mounts].flatMap(([point, { isLocal }]) => (!isLocal && isWanted(point) ? [point] : []))

const readTable = (): string => {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

const maxAgeMs = 1_000

interface ResolvedDirectory {
  /** With the links resolved, up to the first foreign mount. */
  readonly realPath: string
  /** Whether no foreign mount is above or below it. */
  readonly isLocal: boolean
  /** Identifies the mounts below it. */
  readonly mountsBelow: string
}

/** The kernel's mount table: read at most once a second, and parsed only when its text has changed. */
export class MountTable {
  readonly #read: () => string
  readonly #now: () => number
  #readAt = Number.NEGATIVE_INFINITY
  #text = ''
  #mounts: Mounts = new Map()
  /** As of the last reading of the table. */
  readonly #resolved = new Map<string, ResolvedDirectory>()

  constructor(read = readTable, now = () => performance.now()) {
    this.#read = read
    this.#now = now
  }

  mounts(): Mounts {
    if (this.#now() - this.#readAt < maxAgeMs) return this.#mounts
    this.#readAt = this.#now()
    this.#resolved.clear()
    const text = this.#read()
    if (text !== this.#text) this.#mounts = mountsOf(text)
    this.#text = text
    return this.#mounts
  }

  /** See {@link ForeignMountOf}. `directory` is absolute. */
  foreignMount(directory: string, path: StoragePath.StoragePath): string | undefined {
    const mounts = this.mounts()
    const { realPath: root, isLocal } = this.#resolve(mounts, directory)
    if (isLocal) return undefined
    const realPath = path === StoragePath.root ? root : join(root, path)
    const above = foreignAbove(mounts, realPath)
    return above ?? (foreignPoints(mounts, (point) => dirname(point) === realPath).join('\0') || undefined)
  }

  /** Identifies the mounts below a directory; empty without any. `directory` is absolute. */
  mountsBelow(directory: string): string {
    return this.#resolve(this.mounts(), directory).mountsBelow
  }

  #resolve(mounts: Mounts, directory: string): ResolvedDirectory {
    const known = this.#resolved.get(directory)
    if (known !== undefined) return known
    const realPath = resolveLinks(mounts, directory)
    const below = [...mounts].flatMap(([point, { identity }]) => (isBelow(point, realPath) ? [identity] : []))
    const isLocal = foreignMountsOf(directory, mounts).length === 0
    const resolved = { realPath, isLocal, mountsBelow: below.join() }
    this.#resolved.set(directory, resolved)
    return resolved
  }
}

/** The one table of this process. */
const mountTable = new MountTable()

/**
 * The network or FUSE mount of a directory of an area, or the mounts directly in it as one text; `undefined` for a local
 * directory. Reads only the kernel's table, because examining the directory may hang.
 */
export type ForeignMountOf = (area: Area.Area, path: StoragePath.StoragePath) => string | undefined

export const foreignMountOf =
  (root: StorageRoot, table = mountTable): ForeignMountOf =>
  ({ location }, path) =>
    table.foreignMount(areaDirectory(root, location), path)

/** Identifies the mounts below the root of an area, as of the last second; empty without any. */
export const mountsBelow =
  (root: StorageRoot, table = mountTable) =>
  ({ location }: Area.Area): string =>
    table.mountsBelow(areaDirectory(root, location))

/** Reports whether a directory is on a network or FUSE mount. */
export const isForeign = (directory: string, mounts: Mounts = mountTable.mounts()): boolean =>
  foreignAbove(mounts, resolveLinks(mounts, directory)) !== undefined

const isBelow = (point: string, directory: string): boolean =>
  point !== '/' && (directory === '/' || point.startsWith(`${directory}/`))

/** Reports whether a directory is a mount point or has one below it. */
export const holdsMount = (directory: string, mounts: Mounts = mountTable.mounts()): boolean => {
  const realPath = resolveLinks(mounts, directory)
  return [...mounts.keys()].some((point) => point === realPath || isBelow(point, realPath))
}

/** Returns the network and FUSE mounts that a directory is on or has below it. */
export const foreignMountsOf = (directory: string, mounts: Mounts = mountTable.mounts()): ReadonlyArray<string> => {
  const realPath = resolveLinks(mounts, directory)
  const above = foreignAbove(mounts, realPath)
  const below = foreignPoints(mounts, (point) => isBelow(point, realPath))
  return above === undefined ? below : [above, ...below]
}
