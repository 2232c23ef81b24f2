import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { areaDirectory } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import type { PlaceEnv, StorageEnv } from './CommandEnv.js'

/** Of the area of an account, absolute. */
export const directoryOf = (root: StorageRoot.StorageRoot, account: Account): string =>
  areaDirectory(root, account.location)

/** Where a path leads, by every symbolic link of what is there; what is not there yet is taken as it stands. */
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

/** How one area lies to the others, and to what no area should hold. */
export interface Overlaps {
  readonly same: Users
  readonly holds: Users
  readonly liesIn: Users
  readonly holdsOfCanopy: ReadonlyArray<string>
}

const directoriesAbove = (directory: string): ReadonlyArray<string> =>
  directory === '/'
    ? []
    : directory.split('/').flatMap((_, index, names) => (index === 0 ? [] : [names.slice(0, index).join('/') || '/']))

const grouped = (pairs: Iterable<readonly [string, UserId.UserId]>): ReadonlyMap<string, Users> => {
  const groups = new Map<string, Array<UserId.UserId>>()
  for (const [directory, user] of pairs) {
    const group = groups.get(directory)
    if (group === undefined) groups.set(directory, [user])
    else group.push(user)
  }
  return groups
}

const mapOf = (placed: ReadonlyArray<readonly [string, UserId.UserId]>, storage: string, data: string): AreaMap => {
  const at = grouped(placed)
  return {
    placeOf: new Map(placed.map(([directory, user]) => [user, directory])),
    at,
    below: grouped(
      placed.flatMap(([directory, user]) =>
        directoriesAbove(directory)
          .filter((above) => at.has(above))
          .map((above) => [above, user] as const),
      ),
    ),
    storage,
    data,
  }
}

/** Of these accounts; who is not among them overlaps with nobody. */
export const of =
  ({ root, data }: Pick<StorageEnv, 'root'> & Pick<PlaceEnv, 'data'>) =>
  (accounts: ReadonlyArray<Account>): T.Task<AreaMap> =>
    pipe(
      accounts,
      T.traverseSeqArray((account) =>
        pipe(
          () => realPlace(directoryOf(root, account)),
          T.map((directory) => [directory, account.id] as const),
        ),
      ),
      T.bindTo('placed'),
      T.bind('storage', () => () => realPlace(root)),
      T.bind('place', () => () => realPlace(data)),
      T.map(({ placed, storage, place }) => mapOf(placed, storage, place)),
    )

const holdsOf = (directory: string, what: string, place: string): ReadonlyArray<string> =>
  directory === place
    ? [`it is ${what} itself`]
    : directoriesAbove(place).includes(directory)
      ? [`it holds ${what}`]
      : []

export const overlapsOf = (map: AreaMap, user: UserId.UserId): Overlaps => {
  const directory = map.placeOf.get(user) ?? ''
  return {
    same: (map.at.get(directory) ?? []).filter((other) => other !== user),
    holds: map.below.get(directory) ?? [],
    liesIn: directoriesAbove(directory).flatMap((above) => map.at.get(above) ?? []),
    holdsOfCanopy: [
      ...holdsOf(directory, 'the data directory', map.data),
      ...holdsOf(directory, 'the storage', map.storage),
    ],
  }
}

const shown = 3

const areasOf = (users: Users): string => {
  const ids = users.slice(0, shown).map(UserId.toDecimal).join(', ')
  return users.length === 1
    ? `the area of account ${ids}`
    : `the areas of accounts ${ids}${users.length > shown ? ` and ${users.length - shown} more` : ''}`
}

const about = (what: string, users: Users): ReadonlyArray<string> =>
  users.length === 0 ? [] : [`it ${what} ${areasOf(users)}`]

/** `it holds the storage`, one for each thing to know. */
export const inWords = ({ same, holds, liesIn, holdsOfCanopy }: Overlaps): ReadonlyArray<string> => [
  ...holdsOfCanopy,
  ...about('is the same directory as', same),
  ...about('holds', holds),
  ...about('lies in', liesIn),
]
