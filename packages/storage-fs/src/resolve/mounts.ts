import { readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StoragePath } from '@canopy/domain'
import { localNames } from './fileSystems.js'

interface Mount {
  /** Whether the file system is of a local kind. */
  readonly isLocal: boolean
  /** The mount ID, the device, the directory of it that is mounted, and the mount point. The kernel may reuse an ID. */
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
      const [fields = '', fileSystem = ''] = line.split(' - ')
      const [mountId, , device, root, point] = fields.split(' ')
      const isLocal = localNames.has(fileSystem.split(' ')[0] ?? '')
      return point === undefined
        ? []
        : [[unescaped(point), { isLocal, identity: `${mountId} ${device} ${root} ${point}` }]]
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

const namesOf = (path: string): ReadonlyArray<string> => path.split('/').filter((name) => name !== '')

/** Resolves the links of a path. Stops at the first foreign mount point, because touching it may hang. */
const resolveLinks = (mounts: Mounts, path: string): string => {
  let reached = '/'
  let names = namesOf(path)
  for (let linkCount = 0; ; ) {
    const [name, ...rest] = names
    if (name === undefined) return reached
    const next = join(reached, name)
    // Leave out `..`: the kernel enters the mount before it goes back.
    if (mounts.get(next)?.isLocal === false) return join(next, ...rest.filter((each) => each !== '..'))
    const link = linkCount < maxLinks ? linkAt(next) : undefined
    if (link === undefined) {
      reached = next
      names = rest
    } else {
      // Joining the target with `reached` would remove `a/..` even where `a` is a link.
      if (link.startsWith('/')) reached = '/'
      names = [...namesOf(link), ...rest]
      linkCount += 1
    }
  }
}

/**
 * Returns the nearest foreign mount point at or above a directory without links. A path through a foreign mount may hang even if
 * it ends on a local one. Except `/`: this program runs from it, and would hang anyway.
 */
const enclosingForeignMount = (mounts: Mounts, directory: string, hasPassedLocal = false): string | undefined => {
  const isLocal = mounts.get(directory)?.isLocal
  if (directory === '/') return isLocal === false && !hasPassedLocal ? directory : undefined
  if (isLocal === false) return directory
  return enclosingForeignMount(mounts, dirname(directory), hasPassedLocal || isLocal === true)
}

/** Returns the foreign mount points that `isWanted` accepts. */
const filterForeign = (mounts: Mounts, isWanted: (point: string) => boolean): ReadonlyArray<string> =>
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
  /** See {@link resolveLinks}. */
  readonly realPath: string
  /** Whether no foreign mount is above or below it. */
  readonly isLocal: boolean
  /** The identities of the mounts below it. */
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
  /** The latest mounts below each directory that has had some. */
  readonly #below = new Map<string, { readonly mounts: string; readonly identity: string }>()
  #lastIdentity = 0

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

  /**
   * Returns the foreign mount of a path below a directory, or those directly in it as one text; `undefined` for a local one. A
   * foreign mount is one over a network or FUSE, which may hang. Reads only the kernel's table, because examining the path may hang
   * too. `directory` is absolute.
   */
  foreignMountOf(directory: string, path: StoragePath.StoragePath): string | undefined {
    const mounts = this.mounts()
    const { realPath: root, isLocal } = this.#resolve(mounts, directory)
    if (isLocal) return undefined
    const realPath = path === StoragePath.root ? root : join(root, path)
    const above = enclosingForeignMount(mounts, realPath)
    return above ?? (filterForeign(mounts, (point) => dirname(point) === realPath).join('\0') || undefined)
  }

  /**
   * Identifies the mounts below a directory, as of the last second; empty before the first one. An identity never returns, because a
   * listing of a new mount may have been stored with the identity before that mount. `directory` is absolute.
   */
  mountsBelow(directory: string): string {
    const mounts = this.#resolve(this.mounts(), directory).mountsBelow
    const latest = this.#below.get(directory) ?? { mounts: '', identity: '' }
    if (mounts === latest.mounts) return latest.identity
    this.#lastIdentity += 1
    const identity = `${this.#lastIdentity}`
    this.#below.set(directory, { mounts, identity })
    return identity
  }

  #resolve(mounts: Mounts, directory: string): ResolvedDirectory {
    const known = this.#resolved.get(directory)
    if (known !== undefined) return known
    const realPath = resolveLinks(mounts, directory)
    const below = [...mounts].flatMap(([point, { identity }]) => (isBelow(point, realPath) ? [identity] : []))
    const isLocal = allForeignMounts(directory, mounts).length === 0
    const resolved = { realPath, isLocal, mountsBelow: below.join() }
    this.#resolved.set(directory, resolved)
    return resolved
  }
}

/** The one table of this process. */
export const mountTable = new MountTable()

/** Reports whether a directory is on a network or FUSE mount. */
export const isForeign = (directory: string, mounts: Mounts = mountTable.mounts()): boolean =>
  enclosingForeignMount(mounts, resolveLinks(mounts, directory)) !== undefined

const isBelow = (point: string, directory: string): boolean =>
  point !== '/' && (directory === '/' || point.startsWith(`${directory}/`))

/** Reports whether a directory is a mount point or has one below it. */
export const holdsMount = (directory: string, mounts: Mounts = mountTable.mounts()): boolean => {
  const realPath = resolveLinks(mounts, directory)
  return [...mounts.keys()].some((point) => point === realPath || isBelow(point, realPath))
}

/** Returns the network and FUSE mounts that a directory is on or has below it. */
export const allForeignMounts = (directory: string, mounts: Mounts = mountTable.mounts()): ReadonlyArray<string> => {
  const realPath = resolveLinks(mounts, directory)
  const above = enclosingForeignMount(mounts, realPath)
  const below = filterForeign(mounts, (point) => isBelow(point, realPath))
  return above === undefined ? below : [above, ...below]
}
