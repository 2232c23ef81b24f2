import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Area, UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import { procIsMounted, type StorageRoot } from '@canopy/storage-fs'
import { areaDirectory } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failed, type Outcome, type ReadEnv } from './Command.js'

export const areaOf = (account: Account): Area.Area => ({
  owner: account.id,
  location: account.location,
  isMountPoint: account.isMountPoint,
})

/** The directory of an account's area, absolute. */
export const directoryOf = (root: StorageRoot.StorageRoot, account: Account): string =>
  areaDirectory(root, account.location)

/** For commands that read an area: they do nothing where no area can be read safely. */
export const areasAreReadable: Outcome<unknown> = pipe(
  TE.fromIOEither(procIsMounted),
  TE.mapLeft(({ cause }) => failed('external')(causeOf(cause))),
)

/** Where a path leads, by every symbolic link; a part that does not exist yet is left as it is. */
const realPlace = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPlace(dirname(path)), basename(path))
  }
}

type Users = ReadonlyArray<UserId.UserId>

/** Where areas lie, by the directories that they really are. */
export interface AreaMap {
  readonly placeOf: ReadonlyMap<UserId.UserId, string>
  /** The accounts whose area is this directory. */
  readonly at: ReadonlyMap<string, Users>
  /** For the directory of an area, the accounts whose areas lie in it. */
  readonly below: ReadonlyMap<string, Users>
  readonly storage: string
  readonly data: string
}

const directoriesAbove = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [] : [...directoriesAbove(dirname(path)), dirname(path)]

const add = (groups: Map<string, Array<UserId.UserId>>, directory: string, user: UserId.UserId): void => {
  const group = groups.get(directory)
  if (group === undefined) groups.set(directory, [user])
  else group.push(user)
}

/** The map of these accounts; no other area is on it. */
export const areaMap =
  ({ root, data }: Pick<ReadEnv, 'root' | 'data'>, accounts: ReadonlyArray<Account>): T.Task<AreaMap> =>
  async () => {
    const placeOf = new Map<UserId.UserId, string>()
    const at = new Map<string, Array<UserId.UserId>>()
    const below = new Map<string, Array<UserId.UserId>>()
    for (const account of accounts) {
      const directory = await realPlace(directoryOf(root, account))
      placeOf.set(account.id, directory)
      add(at, directory, account.id)
    }
    for (const [user, directory] of placeOf)
      for (const above of directoriesAbove(directory)) if (at.has(above)) add(below, above, user)
    return { placeOf, at, below, storage: await realPlace(root), data: await realPlace(data) }
  }

const holdsOf = (directory: string, what: string, place: string): ReadonlyArray<string> =>
  directory === place
    ? [`it is ${what} itself`]
    : directoriesAbove(place).includes(directory)
      ? [`it holds ${what}`]
      : []

const shown = 3

const about = (what: string, users: Users): ReadonlyArray<string> => {
  if (users.length === 0) return []
  const ids = users.slice(0, shown).map(UserId.toDecimal).join(', ')
  const areas = users.length === 1 ? `the area of account ${ids}` : `the areas of accounts ${ids}`
  return [`it ${what} ${areas}${users.length > shown ? ` and ${users.length - shown} more` : ''}`]
}

/**
 * How one area lies to the others, and what of Canopy it holds: `it holds the storage`. With `once`, each pair is with one of
 * its two areas: with the one that holds the other, or, when they are the same, with the smaller id.
 */
export const overlapsOn = (map: AreaMap, user: UserId.UserId, once = false): ReadonlyArray<string> => {
  const directory = map.placeOf.get(user) ?? ''
  const around = directoriesAbove(directory).flatMap((above) => map.at.get(above) ?? [])
  const same = (map.at.get(directory) ?? []).filter((other) => (once ? other > user : other !== user))
  return [
    ...holdsOf(directory, 'the data directory', map.data),
    ...holdsOf(directory, 'the storage', map.storage),
    ...about('is the same directory as', same),
    ...about('holds', map.below.get(directory) ?? []),
    ...about('lies in', once ? [] : around),
  ]
}

/** Those of an account; empty where the registry fails. */
export const overlapsOf = (env: ReadEnv, account: Account): T.Task<ReadonlyArray<string>> =>
  pipe(
    env.registry.accounts.all,
    TE.flatMapTask((accounts) => areaMap(env, accounts)),
    TE.match(
      () => [],
      (map) => overlapsOn(map, account.id),
    ),
  )
