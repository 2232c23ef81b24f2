import { type Area, type Failure, type ListEnv, type NodeAtEnv, type StorageModule, StoragePath } from '@canopy/domain'
import { openStorageModule, reasonOf } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, anyOwner, areaOf, commandOn, type Finding, notCreatable } from './AreaStore.js'
import type { Env } from './Command.js'
import { type Problem, problem } from './Problem.js'
import { isSecretName } from './secretNames.js'
import { walkNearest } from './walk.js'

/** Areas of the storage that a module opens. */
export const moduleAreas = (url: URL): TE.TaskEither<Problem, Pick<Env<unknown>, 'areas' | 'storage'>> =>
  pipe(
    openStorageModule(url),
    TE.mapLeft((reason) => problem('external')(reason)),
    TE.map((storage) => {
      const title = `module:${url.pathname}`
      const directoryOf: AreaStore['directoryOf'] = (location) => `${title} ${location}`
      const create: AreaStore['create'] = (location) =>
        pipe(
          storage.createArea === undefined ? findArea(storage, location) : createArea(storage.createArea, location),
          TE.map(({ isNew }) => ({ directory: directoryOf(location), isNew, isMountPoint: false })),
        )
      const areas: AreaStore = {
        kind: 'area',
        title,
        reachable: storage.reachable,
        directoryOf,
        realPathOf: (location) => T.of(location === undefined ? title : directoryOf(location)),
        check: () => TE.right(undefined),
        create,
        holdsMount: () => false,
        // A module may find an area at every location.
        exists: () => T.of(false),
        inspect: (account, onNode) => inspect(storage, account, onNode),
        put: () => TE.left(problem('external')(`${title} cannot create files`, "create the demo's files yourself")),
        close: storage.close,
      }
      return { areas, storage }
    }),
  )

interface FoundArea {
  readonly isNew: boolean
}

const createArea = (
  create: NonNullable<StorageModule['createArea']>,
  location: Area.AreaLocation,
): TE.TaskEither<Problem, FoundArea> =>
  pipe(
    create(location),
    TE.mapLeft(({ cause }) => notCreatable(`the area "${location}" cannot be created: ${reasonOf(cause)}`)),
  )

/** For a module that only reads. */
const findArea = (storage: NodeAtEnv, location: Area.AreaLocation): TE.TaskEither<Problem, FoundArea> =>
  pipe(
    storage.nodeAt({ owner: anyOwner, location }, StoragePath.root),
    TE.mapBoth(
      (failure) =>
        notCreatable(
          `the area "${location}" cannot be read, and the storage module cannot create it${failure.error === 'external' ? `: ${reasonOf(failure.cause)}` : ''}`,
          'create it yourself first, or add createArea to the module',
        ),
      () => ({ isNew: false }),
    ),
  )

async function* inspect(storage: ListEnv, account: Account, onNode: () => boolean): ReturnType<AreaStore['inspect']> {
  const found: Array<Finding | StoragePath.StoragePath> = []
  await walkNearest(StoragePath.root, {
    storage,
    area: areaOf(account),
    visit: (path) => {
      if (isSecretName(StoragePath.name(path))) found.push(path)
      return onNode() ? 'enter' : 'stop'
    },
    onUnreadable: (directory, failure) => found.push(unreadableFinding(account, directory, failure)),
  })
  yield* found
}

const unreadableFinding = (account: Account, path: StoragePath.StoragePath, { cause }: Failure.External): Finding =>
  path === StoragePath.root
    ? {
        kind: 'missing area',
        message: `the storage module cannot list the area, so every request fails with the error \`external\`: ${reasonOf(cause)}. Create the area, or run ${commandOn('account delete', account)}`,
      }
    : {
        kind: 'unreadable directory',
        message: `the directory cannot be listed, so requests for it fail with the error \`external\`: ${reasonOf(cause)}`,
        path,
      }
