import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Area, type Failure, type StoragePath, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { AreaNotCreatable, CreatedArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Problem, ReadEnv } from './Command.js'
import type { Finding } from './findings.js'

/** What commands do with areas that differs between directories and an object store. */
export interface AreaStore {
  /** What an area is here. Only directories may be mount points, and may be anywhere. */
  readonly areaIs: 'directory' | 'key prefix'
  /** As an operator has named the storage. */
  readonly title: string
  /** Without it no server is ready. */
  readonly reachable: TE.TaskEither<Failure.External, unknown>
  /** Where an area is, for people: an absolute directory, or `s3://bucket/prefix/7/`. */
  readonly directoryOf: (location: Area.AreaLocation) => string
  /**
   * Where an area really lies, by every link, as a path in which `dirname` leads upwards; without a location the storage itself.
   * `undefined` for what this storage cannot hold.
   */
  readonly placeOf: (location?: Area.AreaLocation) => T.Task<string | undefined>
  /** Makes the directory or the marker of an area, or finds it there. */
  readonly create: (location: Area.AreaLocation) => TE.TaskEither<AreaNotCreatable, CreatedArea>
  /** The names directly in the storage: an id among them may be of another registry. */
  readonly names: TE.TaskEither<Problem, ReadonlyArray<string>>
  /** Walks an area whole: what may surprise in it, and the paths of nodes with a name that usually holds secrets. */
  readonly inspect: (account: Account, onNode: () => void) => AsyncIterable<Finding | StoragePath.StoragePath>
  /** Makes a file with this text, or without one a directory, in a directory that is there. */
  readonly put: (account: Account, path: StoragePath.StoragePath, text?: string) => TE.TaskEither<Problem, void>
  readonly close: () => void
}

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

/** Where areas lie, by the places that they really are: of very many areas each is compared with those above it alone. */
export interface AreaMap {
  readonly areaIs: AreaStore['areaIs']
  readonly placeOf: ReadonlyMap<UserId.UserId, string>
  /** The accounts whose area is at this place. */
  readonly at: ReadonlyMap<string, Users>
  /** For the place of an area, the accounts whose areas lie in it. */
  readonly below: ReadonlyMap<string, Users>
  readonly storage: string | undefined
  readonly data: string
}

const placesAbove = (place: string): ReadonlyArray<string> =>
  dirname(place) === place ? [] : [...placesAbove(dirname(place)), dirname(place)]

/** The map of these accounts; no other area is on it. */
export const areaMap =
  ({ areas, data }: Pick<ReadEnv, 'areas' | 'data'>, accounts: ReadonlyArray<Account>): T.Task<AreaMap> =>
  async () => {
    const placeOf = new Map<UserId.UserId, string>()
    const at = new Map<string, Array<UserId.UserId>>()
    const below = new Map<string, Array<UserId.UserId>>()
    const add = (groups: typeof at, place: string, user: UserId.UserId): void => {
      const users = groups.get(place)
      if (users === undefined) groups.set(place, [user])
      else users.push(user)
    }
    for (const { id, location } of accounts) {
      const place = await areas.placeOf(location)()
      if (place === undefined) continue
      placeOf.set(id, place)
      add(at, place, id)
    }
    for (const [user, place] of placeOf)
      for (const above of placesAbove(place)) if (at.has(above)) add(below, above, user)
    return { areaIs: areas.areaIs, placeOf, at, below, storage: await areas.placeOf()(), data: await realPlace(data) }
  }

const shown = 3

/** It `lies` so to the areas of these. */
const toAreas = (lies: string, users: Users = []): ReadonlyArray<string> => {
  if (users.length === 0) return []
  const ids = users.slice(0, shown).map(UserId.toDecimal).join(', ')
  const areas = users.length === 1 ? `the area of account ${ids}` : `the areas of accounts ${ids}`
  return [`it ${lies} ${areas}${users.length > shown ? ` and ${users.length - shown} more` : ''}`]
}

/**
 * How one area lies to the others, and what of Canopy it holds: `it holds the storage`. With `once`, each pair is with one of
 * its two areas: with the one that holds the other, or, when they are the same, with the smaller id.
 */
export const overlapsOn = (map: AreaMap, user: UserId.UserId, once = false): ReadonlyArray<string> => {
  const place = map.placeOf.get(user)
  if (place === undefined) return []
  const toWhat = (what: string, other = ''): ReadonlyArray<string> => {
    if (place === other) return [`it is ${what} itself`]
    return placesAbove(other).includes(place) ? [`it holds ${what}`] : []
  }
  const same = map.at.get(place)?.filter((id) => (once ? id > user : id !== user))
  const around = placesAbove(place).flatMap((above) => map.at.get(above) ?? [])
  return [
    ...toWhat('the data directory', map.data),
    ...toWhat('the storage', map.storage),
    ...toAreas(`is the same ${map.areaIs} as`, same),
    ...toAreas('holds', map.below.get(place)),
    ...toAreas('lies in', once ? [] : around),
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
