// For the admin app alone: creates the directory of an area, and finds problems in it.
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

// Creates the directory of an area

/** The location cannot name a directory, or the system refused to create it. */
export interface AreaNotCreatable {
  readonly error: 'area not creatable'
  readonly reason: string
  /** Tells the operator how to repair it, if that is known. */
  readonly hint: string | undefined
}

const areaNotCreatable = (reason: string, hint?: string): AreaNotCreatable => ({
  error: 'area not creatable',
  reason,
  hint,
})

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** New directories are closed to other users under any umask. A stricter umask restricts them further. */
const mode = 0o750

/**
 * Creates a directory and its missing parents, with mode 0750 less the umask. False if it already exists. Rejects with errors
 * of `node:fs`. Node's recursive `mkdir` would loop for ever below `/proc` or a broken link, where no directory can be created.
 */
export const makeDirectory = async (directory: string): Promise<boolean> => {
  if (await isDirectory(directory)) return false
  const above = dirname(directory)
  if (above !== directory) await makeDirectory(above)
  return mkdir(directory, { mode }).then(
    () => true,
    async (thrown: unknown) => {
      // Another process may have created it during the call.
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
    `${directory} is not a directory, or runs through something that is not one`,
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

/** The types of proc and sysfs in statfs(2), where directories cannot be created, whatever the permissions say. */
const kernelViews: ReadonlySet<number> = new Set([0x9fa0, 0x62656572])

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Returns the reason why a directory cannot be created. Examines its nearest existing parent. */
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

/** Checks without writing whether {@link createArea} can create the directory or use an existing one. */
export const checkArea = (root: StorageRoot, location: Area.AreaLocation): TE.TaskEither<AreaNotCreatable, string> =>
  pipe(
    TE.fromEither(locate(root, location)),
    TE.tap(() => checked(root)),
    TE.flatMap(checked),
  )

/** The existing directory of an area. */
export interface CreatedArea {
  /** Its absolute path. */
  readonly directory: string
  /** Whether this call created it, so that it is empty. */
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
 * Creates the directory of an area and its missing parents, or uses an existing one. Also creates the storage root, even for an
 * area elsewhere, because no server is ready without it.
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

// Finds problems in an area

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
  /** Makes the answer `external` for a client who would see it, for example a dead mount. */
  | {
      readonly finding: 'node not known'
      readonly path: StoragePath.StoragePath
      /** Such as `ENOTCONN`. */
      readonly errno: string
    }
  /** Has more than 255 names or 4,096 bytes, so neither it nor anything below it can be requested. */
  | { readonly finding: 'path too long'; readonly directory: StoragePath.StoragePath; readonly name: string }
  /** Other spellings of a name lead to its node here. Reported for the topmost such directory. */
  | { readonly finding: 'names are folded'; readonly directory: StoragePath.StoragePath }

export type AreaFinding =
  | Trouble
  /** A file or a directory whose name the caller looks for. */
  | { readonly finding: 'name looked for'; readonly path: StoragePath.StoragePath }

const escaped = (character: string): string =>
  character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes as latin1 text in printable ASCII: `caf\xe9`. Different names have different spellings. */
export const escapedName = (bytes: string): string => bytes.replace(/[^\x20-\x5b\x5d-\x7e]/g, escaped)

/** Each returns another spelling of a name, if there is one. */
const spellings: ReadonlyArray<(name: string) => string> = [
  (name) => otherCase(name) ?? name,
  (name) => (name === name.normalize('NFD') ? name.normalize('NFC') : name.normalize('NFD')),
  (name) => `${name}.`,
]

/** Looks up one name of each kind by a spelling that is not listed. */
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
  pinned: PinnedNode,
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
      const stats = lstatSync(`${pinned.fdPath}/${name}`, { throwIfNoEntry: false })
      if (stats?.isDirectory() === true) directories.push(path)
      else if (stats?.isFile() !== true) return undefined
      return lookedFor(name) ? { finding: 'name looked for', path } : undefined
    } catch (thrown) {
      // Throws if the directory cannot be searched: then the problem is the directory's, not the entry's.
      lstatSync(`${pinned.fdPath}/.`)
      return { finding: 'node not known', path, errno: errnoOf(thrown) }
    }
  }
  const names = namesIn(pinned.fdPath)
  for (const bytes of names) {
    const finding = inspectName(bytes)
    if (finding !== undefined) findings.push(finding)
  }
  return { findings, directories, foldsNames: foldsNames(pinned, names) }
}

/** Returns the finding for a directory that cannot be read. A vanished directory is not one. */
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
 * Walks the area in an absolute directory. Finds the nodes that Canopy cannot show, and those with a name that the caller looks
 * for. Keeps in memory only the names of one directory and the directories still to visit.
 *
 * @param pin pins a node while it is examined; by default in the safest way on this system
 */
export async function* inspectArea(
  areaDirectory: string,
  lookedFor: (name: string) => boolean = () => false,
  pin: OpenPinned = openPinned,
): AsyncGenerator<AreaFinding, void, undefined> {
  const pending: Array<StoragePath.StoragePath> = [StoragePath.root]
  /** The topmost directories that fold names. */
  const folding: Array<StoragePath.StoragePath> = []
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const directory = at
    await yieldToEventLoop()
    const { findings, directories, foldsNames } = pipe(
      pin(areaDirectory, directory),
      E.flatMap((pinned) => {
        const inspected = E.tryCatch(() => inspectDirectory(pinned, directory, lookedFor), Failure.external)
        pinned.close()
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
