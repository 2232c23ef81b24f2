import { mkdir, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaDirectory, isMountPoint } from '../areas.js'
import { adviceOn, errnoOf } from '../decode.js'
import type { StorageRoot } from '../StorageRoot.js'

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

const notCreated = (directory: string, thrown: unknown): AreaNotCreatable => {
  switch (errnoOf(thrown)) {
    case 'EEXIST':
    case 'ENOTDIR':
      return areaNotCreatable(
        `${directory} is no directory, or runs through something that is none`,
        'move that away, or choose another location',
      )
    case 'EACCES':
    case 'EPERM':
      return areaNotCreatable(
        `this user may not create ${directory}`,
        'create it yourself, or run this as a user who may',
      )
    case 'ENOENT':
      return areaNotCreatable(`${directory} cannot be created by any user`, 'choose another location')
    default:
      return areaNotCreatable(`${directory} cannot be created: ${String(thrown)}`, adviceOn(errnoOf(thrown)))
  }
}

const make = (directory: string): TE.TaskEither<AreaNotCreatable, boolean> =>
  TE.tryCatch(
    () => makeDirectory(directory),
    (thrown) => notCreated(directory, thrown),
  )

const mountedOn = (directory: string): TE.TaskEither<AreaNotCreatable, boolean> =>
  TE.tryCatch(
    async () => isMountPoint(directory),
    (thrown) => areaNotCreatable(`${directory} cannot be looked at: ${String(thrown)}`, adviceOn(errnoOf(thrown))),
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
    TE.flatMap((directory) =>
      pipe(
        make(directory),
        TE.bindTo('isNew'),
        TE.bind('isMountPoint', () => mountedOn(directory)),
        TE.map((made) => ({ directory, ...made })),
      ),
    ),
  )
