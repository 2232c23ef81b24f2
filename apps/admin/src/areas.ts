import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Area, type Failure, type StoragePath, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { CreatedArea } from '@canopy/storage-fs/admin'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadEnv } from './Command.js'
import { failed, type Problem } from './Problem.js'

/** Something that an operator may want to change, and how: of an account, a trigger, or all of Canopy. */
export interface Finding {
  /** One of those that docs/admin.md explains. */
  readonly kind: string
  readonly message: string
  /** Where it is in the area of the account. */
  readonly path?: StoragePath.StoragePath
  /** Good to know, and most likely meant: it needs no attention. */
  readonly note?: boolean
}

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
  /** Whether `create` can make or find it, for all that is known without writing. */
  readonly check: (location: Area.AreaLocation) => TE.TaskEither<Problem, unknown>
  /** Makes the directory or the marker of an area, or finds it there. */
  readonly create: (location: Area.AreaLocation) => TE.TaskEither<Problem, CreatedArea>
  /** Whether something is mounted on an area or in it. */
  readonly holdsMount: (location: Area.AreaLocation) => boolean
  /** The names directly in the storage: an id among them may be of another registry. */
  readonly names: TE.TaskEither<Problem, ReadonlyArray<string>>
  /** Walks an area whole: what may surprise in it, and the paths of nodes with a name that usually holds secrets. */
  readonly inspect: (account: Account, onNode: () => void) => AsyncIterable<Finding | StoragePath.StoragePath>
  /** Makes a file with this text, or without one a directory, in a directory that is there. */
  readonly put: (account: Account, path: StoragePath.StoragePath, text?: string) => TE.TaskEither<Problem, void>
  readonly close: () => void
}

export const notCreatable = failed('area not creatable')

/** The words of a command about an account, to be pasted. */
export const commandOn = (words: string, { id }: Account, ...more: ReadonlyArray<string>): string =>
  `\`canopy ${[words, UserId.toDecimal(id), ...more].join(' ')}\``

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

const shown = 3

/** It `lies` so to the areas of these. */
const toAreas = (lies: string, users: Users = []): ReadonlyArray<string> => {
  if (users.length === 0) return []
  const ids = users.slice(0, shown).map(UserId.toDecimal).join(', ')
  const areas = users.length === 1 ? `the area of account ${ids}` : `the areas of accounts ${ids}`
  return [`it ${lies} ${areas}${users.length > shown ? ` and ${users.length - shown} more` : ''}`]
}

const placesAbove = (place: string): ReadonlyArray<string> =>
  dirname(place) === place ? [] : [...placesAbove(dirname(place)), dirname(place)]

/**
 * How an area lies to the others, and what of Canopy it holds: `it holds the storage`. With `once`, each pair is with one of its
 * two areas: with the one that holds the other, or, when they are the same, with the smaller id. Of very many areas each is
 * compared with those above it alone.
 */
export const overlapsOf =
  (
    { areas, data }: Pick<ReadEnv, 'areas' | 'data'>,
    accounts: ReadonlyArray<Account>,
    once = false,
  ): T.Task<(user: UserId.UserId) => ReadonlyArray<string>> =>
  async () => {
    const places = new Map<UserId.UserId, string>()
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
      places.set(id, place)
      add(at, place, id)
    }
    for (const [user, place] of places)
      for (const above of placesAbove(place)) if (at.has(above)) add(below, above, user)
    const ofCanopy = [
      ['the data directory', await realPlace(data)],
      ['the storage', (await areas.placeOf()()) ?? ''],
    ] as const
    const overlapsAt = (user: UserId.UserId, place: string): ReadonlyArray<string> => [
      ...ofCanopy.flatMap(([what, other]) => {
        if (place === other) return [`it is ${what} itself`]
        return placesAbove(other).includes(place) ? [`it holds ${what}`] : []
      }),
      ...toAreas(
        `is the same ${areas.areaIs} as`,
        at.get(place)?.filter((id) => (once ? id > user : id !== user)),
      ),
      ...toAreas('holds', below.get(place)),
      ...toAreas('lies in', once ? [] : placesAbove(place).flatMap((above) => at.get(above) ?? [])),
    ]
    return (user) => {
      const place = places.get(user)
      return place === undefined ? [] : overlapsAt(user, place)
    }
  }
