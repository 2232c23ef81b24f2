// What is known of the kinds of file systems, and where each is mounted.
import { readFileSync, readlinkSync, statfsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** How a file system may find a node by another spelling of its name. `by case`: in some directories, or nowhere. */
export type Folding = 'never' | 'by case' | 'in any way'

export interface Kind {
  /** As `/proc/self/mountinfo` names it. */
  readonly names: ReadonlyArray<string>
  /** As statfs(2) reports it. */
  readonly magic: number
  readonly folding: Folding
  /** A directory that is rolled back has the device, the inode and the birth time that it had before. */
  readonly rollsBack?: true
}

/** Those that no other machine changes without this kernel, and that answer as long as their disk does. */
const local: ReadonlyArray<Kind> = [
  { names: ['ext2', 'ext3', 'ext4'], magic: 0xef53, folding: 'by case' },
  { names: ['xfs'], magic: 0x58465342, folding: 'by case' },
  { names: ['btrfs'], magic: 0x9123683e, folding: 'never', rollsBack: true },
  { names: ['zfs'], magic: 0x2fc12fc1, folding: 'in any way' },
  { names: ['f2fs'], magic: 0xf2f52010, folding: 'by case' },
  { names: ['tmpfs'], magic: 0x01021994, folding: 'by case' },
  { names: ['overlay'], magic: 0x794c7630, folding: 'by case' },
]

const byMagic = new Map(local.map((kind) => [kind.magic, kind]))
const localNames = new Set(local.flatMap(({ names }) => names))

/** Of the file system at a path, by a look at it; `undefined` for one of no local kind. Throws what `node:fs` throws. */
export const kindAt = (path: string): Kind | undefined => byMagic.get(statfsSync(path).type)

/** Throws what `node:fs` throws. */
export const foldingAt = (path: string): Folding => kindAt(path)?.folding ?? 'in any way'

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

/** The mount point that a place is below, where that is not of a local kind. */
const foreignAbove = (mounts: Mounts, place: string): string | undefined => {
  const isLocal = mounts.get(place)
  if (isLocal !== undefined) return isLocal ? undefined : place
  return place === '/' ? undefined : foreignAbove(mounts, dirname(place))
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
 * The mount point of another than a local kind that a directory is below, or one that is directly in it; `undefined` where there
 * is none. Such file systems (network, FUSE) may hang whoever touches them. Asks the kernel's table, and touches none of them.
 */
export type ForeignMountAt = (directory: string, path: string) => string | undefined

export const foreignMounts = (
  read: () => Mounts = readMounts,
  now: () => number = () => performance.now(),
): ForeignMountAt => {
  let readAt = Number.NEGATIVE_INFINITY
  let mounts: Mounts = new Map()
  let foreignIn: ReadonlyMap<string, string> = new Map()
  const places = new Map<string, string>()
  return (directory, path) => {
    if (now() - readAt >= tableMs) {
      readAt = now()
      mounts = read()
      foreignIn = new Map([...mounts].flatMap(([point, isLocal]) => (isLocal ? [] : [[dirname(point), point]])))
      places.clear()
    }
    const above = places.get(directory) ?? placeOf(mounts, directory)
    places.set(directory, above)
    const place = path === '/' ? above : join(above, path)
    return foreignAbove(mounts, place) ?? foreignIn.get(place)
  }
}
