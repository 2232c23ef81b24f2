import { constants } from 'node:fs'
import { access, lstat, mkdir, stat, statfs } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaDirectory, isMountPoint } from '../resolve/areas.js'
import { errnoOf, hintOn } from '../resolve/errno.js'
import type { StorageRoot } from '../StorageRoot.js'

/** The existing directory of an area. */
export interface CreatedArea {
  /** Its absolute path. */
  readonly directory: string
  /** Whether this call created it, so that it is empty. */
  readonly isNew: boolean
  /** Whether something is mounted on it. */
  readonly isMountPoint: boolean
}

/** The location cannot name a directory, or the system refused to create it. */
export interface AreaNotCreatable {
  readonly error: 'cannot create area'
  readonly reason: string
  /** Tells the operator how to repair it, if that is known. */
  readonly hint: string | undefined
}

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

/** Checks without writing whether {@link createArea} can create the directory or use an existing one. */
export const checkArea = (root: StorageRoot, location: Area.AreaLocation): TE.TaskEither<AreaNotCreatable, string> =>
  pipe(
    TE.fromEither(locate(root, location)),
    TE.tap(() => checked(root)),
    TE.flatMap(checked),
  )

const isBelow = (root: string, directory: string): boolean => !/^\.\.(\/|$)/.test(relative(root, directory))

const locate = (root: StorageRoot, location: Area.AreaLocation): E.Either<AreaNotCreatable, string> => {
  if (location === '') return E.left(areaNotCreatable('an area needs a location', 'specify a directory'))
  if (location.includes('\0')) return E.left(areaNotCreatable('a directory name cannot contain a NUL character'))
  const directory = areaDirectory(root, location)
  return isAbsolute(location) || isBelow(root, directory)
    ? E.right(directory)
    : E.left(
        areaNotCreatable(
          `"${location}" is outside the storage directory ${root}`,
          `to use a directory elsewhere, use its absolute path: ${directory}`,
        ),
      )
}

const make = (directory: string): TE.TaskEither<AreaNotCreatable, CreatedArea> =>
  TE.tryCatch(
    async () => ({ directory, isNew: await makeDirectory(directory), isMountPoint: isMountPoint(directory) }),
    (thrown) => notCreated(directory, thrown),
  )

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

const checked = (directory: string): TE.TaskEither<AreaNotCreatable, string> =>
  pipe(
    TE.fromTask(() => objectionTo(directory)),
    TE.flatMap((objection) => (objection === undefined ? TE.right(directory) : TE.left(objection))),
  )

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

const noDirectory = (directory: string): AreaNotCreatable =>
  areaNotCreatable(
    `${directory} or one of its parents is not a directory`,
    'move it out of the way, or choose another location',
  )

const byNoUser = (directory: string): AreaNotCreatable =>
  areaNotCreatable(`${directory} cannot be created: no directory can be created there`, 'choose another location')

const notCreated = (directory: string, thrown: unknown): AreaNotCreatable => {
  switch (errnoOf(thrown)) {
    case 'EEXIST':
    case 'ENOTDIR':
      return noDirectory(directory)
    case 'EACCES':
    case 'EPERM':
      return areaNotCreatable(
        `permission denied: cannot create ${directory}`,
        'create it as a user who has permission, or run Canopy as that user',
      )
    case 'ENOENT':
      return byNoUser(directory)
    default:
      return areaNotCreatable(`${directory} cannot be created: ${String(thrown)}`, hintOn(errnoOf(thrown)))
  }
}

const areaNotCreatable = (reason: string, hint?: string): AreaNotCreatable => ({
  error: 'cannot create area',
  reason,
  hint,
})
