import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Area, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './AreaStore.js'
import type { ReadEnv } from './Command.js'

export const areaOf = (account: Account): Area.Area => ({
  owner: account.id,
  location: account.location,
  isMountPoint: account.isMountPoint,
})

/** Where a path leads, by every symbolic link; a part that does not exist yet is left as it is. */
export const realPlace = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPlace(dirname(path)), basename(path))
  }
}

type Users = ReadonlyArray<UserId.UserId>

/** Where areas lie, by the places that they really are. */
export interface AreaMap {
  readonly areaIs: AreaStore['areaIs']
  readonly placeOf: ReadonlyMap<UserId.UserId, string>
  /** The accounts whose area is this directory. */
  readonly at: ReadonlyMap<string, Users>
  /** For the directory of an area, the accounts whose areas lie in it. */
  readonly below: ReadonlyMap<string, Users>
  readonly storage: string | undefined
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
  ({ areas, data }: Pick<ReadEnv, 'areas' | 'data'>, accounts: ReadonlyArray<Account>): T.Task<AreaMap> =>
  async () => {
    const placeOf = new Map<UserId.UserId, string>()
    const at = new Map<string, Array<UserId.UserId>>()
    const below = new Map<string, Array<UserId.UserId>>()
    for (const account of accounts) {
      const directory = await areas.placeOf(account.location)()
      if (directory === undefined) continue
      placeOf.set(account.id, directory)
      add(at, directory, account.id)
    }
    for (const [user, directory] of placeOf)
      for (const above of directoriesAbove(directory)) if (at.has(above)) add(below, above, user)
    return { areaIs: areas.areaIs, placeOf, at, below, storage: await areas.placeOf()(), data: await realPlace(data) }
  }

const holdsOf = (directory: string, what: string, place = ''): ReadonlyArray<string> =>
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
  const directory = map.placeOf.get(user)
  if (directory === undefined) return []
  const around = directoriesAbove(directory).flatMap((above) => map.at.get(above) ?? [])
  const same = (map.at.get(directory) ?? []).filter((other) => (once ? other > user : other !== user))
  return [
    ...holdsOf(directory, 'the data directory', map.data),
    ...holdsOf(directory, 'the storage', map.storage),
    ...about(`is the same ${map.areaIs} as`, same),
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
