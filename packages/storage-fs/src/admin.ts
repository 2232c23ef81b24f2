// What only the admin app may do with the storage: make the directory of an area, and look for trouble in it.
import { constants, lstatSync } from 'node:fs'
import { access, lstat, mkdir, stat, statfs } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import { type Area, Failure, Name, StoragePath } from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { namesIn } from './read/directory.js'
import { areaDirectory, isMountPoint } from './resolve/areas.js'
import { errnoOf, hintOn, nameOfBytes } from './resolve/decode.js'
import { otherCase } from './resolve/foldedNames.js'
import { type OpenPinned, openPinned, type PinnedNode } from './resolve/openPinned.js'
import type { StorageRoot } from './StorageRoot.js'

export { foreignMountsOf, holdsMount } from './resolve/mounts.js'
export { areaDirectory, errnoOf, hintOn, isMountPoint }

// Makes the directory of an area

/** The location names no directory that can be, or the system refused to make it. */
export interface AreaNotCreatable {
  readonly error: 'area not creatable'
  readonly reason: string
  /** What to do about it, for the operator, where that is known. */
  readonly suggestion: string | undefined
}

const areaNotCreatable = (reason: string, suggestion?: string): AreaNotCreatable => ({
  error: 'area not creatable',
  reason,
  suggestion,
})

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** What Canopy creates is closed to other users, whatever the umask; a stricter umask makes it stricter. */
const mode = 0o750

/**
 * Makes a directory, with those above it, or finds it there; says whether it is new. New ones have mode 0750, less what the
 * umask takes. Rejects with what `node:fs` throws. Node's own recursive `mkdir` loops for ever where there is a directory, or
 * a link, in which none can be made: `/proc`, a link to nowhere.
 */
export const makeDirectory = async (directory: string): Promise<boolean> => {
  if (await isDirectory(directory)) return false
  const above = dirname(directory)
  if (above !== directory) await makeDirectory(above)
  return mkdir(directory, { mode }).then(
    () => true,
    async (thrown: unknown) => {
      // Another process may have made it in the meantime.
      if (await isDirectory(directory)) return false
      throw thrown
    },
  )
}

const isBelow = (root: string, directory: string): boolean => !/^\.\.(\/|$)/.test(relative(root, directory))

const locate = (root: StorageRoot, location: Area.AreaLocation): E.Either<AreaNotCreatable, string> => {
  if (location === '') return E.left(areaNotCreatable('an area needs a location', 'name a directory'))
  if (location.includes('\0')) return E.left(areaNotCreatable('no directory has a name with a NUL in it'))
  const directory = areaDirectory(root, location)
  return isAbsolute(location) || isBelow(root, directory)
    ? E.right(directory)
    : E.left(
        areaNotCreatable(
          `"${location}" leads out of the storage directory ${root}`,
          `for a directory elsewhere give its absolute path, here ${directory}`,
        ),
      )
}

const noDirectory = (directory: string): AreaNotCreatable =>
  areaNotCreatable(
    `${directory} is no directory, or runs through something that is none`,
    'move that away, or choose another location',
  )

const byNoUser = (directory: string): AreaNotCreatable =>
  areaNotCreatable(`${directory} cannot be created by any user`, 'choose another location')

const notCreated = (directory: string, thrown: unknown): AreaNotCreatable => {
  switch (errnoOf(thrown)) {
    case 'EEXIST':
    case 'ENOTDIR':
      return noDirectory(directory)
    case 'EACCES':
    case 'EPERM':
      return areaNotCreatable(
        `this user may not create ${directory}`,
        'create it yourself, or run this as a user who may',
      )
    case 'ENOENT':
      return byNoUser(directory)
    default:
      return areaNotCreatable(`${directory} cannot be created: ${String(thrown)}`, hintOn(errnoOf(thrown)))
  }
}

/** proc and sysfs, by their magic numbers of statfs(2): no directory can be made there, whatever the permissions say. */
const kernelViews: ReadonlySet<number> = new Set([0x9fa0, 0x62656572])

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Why a directory cannot be made: looks at the nearest one above it that exists. */
const objectionTo = async (directory: string, place = directory): Promise<AreaNotCreatable | undefined> => {
  try {
    if (!(await stat(place)).isDirectory()) return noDirectory(directory)
    if (place === directory) return undefined
    await access(place, constants.W_OK | constants.X_OK)
    return kernelViews.has((await statfs(place)).type) ? byNoUser(directory) : undefined
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT' || place === dirname(place)) return notCreated(directory, thrown)
    // A link to nowhere is there itself.
    return (await isThere(place)) ? noDirectory(directory) : objectionTo(directory, dirname(place))
  }
}

const checked = (directory: string): TE.TaskEither<AreaNotCreatable, string> =>
  pipe(
    TE.fromTask(() => objectionTo(directory)),
    TE.flatMap((objection) => (objection === undefined ? TE.right(directory) : TE.left(objection))),
  )

/** Whether {@link createArea} can make the directory, or finds it there, for all that is known without writing. */
export const checkArea = (root: StorageRoot, location: Area.AreaLocation): TE.TaskEither<AreaNotCreatable, string> =>
  pipe(
    TE.fromEither(locate(root, location)),
    TE.tap(() => checked(root)),
    TE.flatMap(checked),
  )

/** The directory of an area, which is there now. */
export interface CreatedArea {
  /** Its absolute path. */
  readonly directory: string
  /** Whether it was made just now, and so is empty; else it was there before. */
  readonly isNew: boolean
  /** Whether something is mounted on it. */
  readonly isMountPoint: boolean
}

const make = (directory: string): TE.TaskEither<AreaNotCreatable, CreatedArea> =>
  TE.tryCatch(
    async () => ({ directory, isNew: await makeDirectory(directory), isMountPoint: isMountPoint(directory) }),
    (thrown) => notCreated(directory, thrown),
  )

/**
 * Makes the directory of an area, with those above it, or finds it there; and the storage root, without which no server is
 * ready, also when the area lies elsewhere.
 */
export const createArea = (
  root: StorageRoot,
  location: Area.AreaLocation,
): TE.TaskEither<AreaNotCreatable, CreatedArea> =>
  pipe(
    TE.fromEither(locate(root, location)),
    TE.tap(() => make(root)),
    TE.flatMap(make),
  )

// Looks for trouble in an area

/** Something in an area that Canopy cannot show. */
export type Trouble =
  | {
      readonly finding: 'name not listable'
      readonly directory: StoragePath.StoragePath
      /** Its bytes as printable ASCII: `caf\xe9`. */
      readonly name: string
    }
  | {
      readonly finding: 'directory not readable'
      readonly directory: StoragePath.StoragePath
      /** Such as `EACCES`. */
      readonly errno: string
    }
  /** Anyone who would be shown it is answered `external`: a dead mount, say. */
  | {
      readonly finding: 'node not known'
      readonly path: StoragePath.StoragePath
      /** Such as `ENOTCONN`. */
      readonly errno: string
    }
  /** More than 255 names or 4,096 bytes: neither this nor anything below it can be asked for. */
  | { readonly finding: 'path too long'; readonly directory: StoragePath.StoragePath; readonly name: string }
  /** Other spellings of a name lead to its node here; no directory above is reported for this. */
  | { readonly finding: 'names are folded'; readonly directory: StoragePath.StoragePath }

export type AreaFinding =
  | Trouble
  /** A file or a directory whose name was looked for. */
  | { readonly finding: 'name looked for'; readonly path: StoragePath.StoragePath }

const escaped = (character: string): string =>
  character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes, each a character (latin1), as printable ASCII: `caf\xe9`. Two names are never written alike. */
export const escapedName = (bytes: string): string => bytes.replace(/[^\x20-\x5b\x5d-\x7e]/g, escaped)

/** Each finds another spelling of a name, if the name has one. */
const spellings: ReadonlyArray<(name: string) => string> = [
  (name) => otherCase(name) ?? name,
  (name) => (name === name.normalize('NFD') ? name.normalize('NFC') : name.normalize('NFD')),
  (name) => `${name}.`,
]

/** Looks up the first name of each kind by a spelling that is not listed. */
const foldsNames = ({ fdPath }: PinnedNode, bytes: ReadonlyArray<string>): boolean => {
  const names = pipe(bytes, RA.filterMap(nameOfBytes))
  const listed = new Set<string>(names)
  return spellings.some((spelling) =>
    pipe(
      names,
      RA.findFirstMap((name) =>
        pipe(
          spelling(name),
          Name.fromString,
          O.filter((other) => !listed.has(other)),
        ),
      ),
      O.exists((other) => lstatSync(`${fdPath}/${other}`, { throwIfNoEntry: false }) !== undefined),
    ),
  )
}

interface Inspected {
  readonly findings: ReadonlyArray<AreaFinding>
  readonly directories: ReadonlyArray<StoragePath.StoragePath>
  readonly foldsNames?: boolean
}

const inspectDirectory = (
  held: PinnedNode,
  directory: StoragePath.StoragePath,
  lookedFor: (name: string) => boolean,
): Inspected => {
  const findings: Array<AreaFinding> = []
  const directories: Array<StoragePath.StoragePath> = []
  const inspectName = (bytes: string): AreaFinding | undefined => {
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) return { finding: 'name not listable', directory, name: escapedName(bytes) }
    const path = O.toUndefined(StoragePath.child(directory, name))
    if (path === undefined) return { finding: 'path too long', directory, name }
    try {
      const stats = lstatSync(`${held.fdPath}/${name}`, { throwIfNoEntry: false })
      if (stats?.isDirectory() === true) directories.push(path)
      else if (stats?.isFile() !== true) return undefined
      return lookedFor(name) ? { finding: 'name looked for', path } : undefined
    } catch (thrown) {
      // Where the directory may not be searched, that is its own trouble, and throws: no entry of it can be looked at.
      lstatSync(`${held.fdPath}/.`)
      return { finding: 'node not known', path, errno: errnoOf(thrown) }
    }
  }
  const names = namesIn(held.fdPath)
  for (const bytes of names) {
    const finding = inspectName(bytes)
    if (finding !== undefined) findings.push(finding)
  }
  return { findings, directories, foldsNames: foldsNames(held, names) }
}

/** A directory that has vanished is no finding. */
const notReadable =
  (directory: StoragePath.StoragePath) =>
  (failure: Failure.OfStorage): Inspected => ({
    findings:
      failure.error === 'external'
        ? [{ finding: 'directory not readable', directory, errno: errnoOf(failure.cause) }]
        : [],
    directories: [],
  })

/**
 * Walks the area in a directory (an absolute path) and finds what of it Canopy cannot show, and which nodes have a name that
 * is looked for. Holds in memory the names of one directory and the directories still to be visited, never the whole area.
 *
 * @param hold how a node is held while it is looked at; by default in the way that this system has
 */
export async function* inspectArea(
  areaDirectory: string,
  lookedFor: (name: string) => boolean = () => false,
  hold: OpenPinned = openPinned,
): AsyncGenerator<AreaFinding, void, undefined> {
  const pending: Array<StoragePath.StoragePath> = [StoragePath.root]
  /** Where names are folded; below one no other is reported. */
  const folding: Array<StoragePath.StoragePath> = []
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const directory = at
    await yieldToEventLoop()
    const { findings, directories, foldsNames } = pipe(
      hold(areaDirectory, directory),
      E.flatMap((held) => {
        const inspected = E.tryCatch(() => inspectDirectory(held, directory, lookedFor), Failure.external)
        held.close()
        return inspected
      }),
      E.getOrElse(notReadable(directory)),
    )
    if (foldsNames === true && !folding.some((above) => StoragePath.contains(above)(directory))) {
      folding.push(directory)
      yield { finding: 'names are folded', directory }
    }
    yield* findings
    for (const child of [...directories].reverse()) pending.push(child)
  }
}
