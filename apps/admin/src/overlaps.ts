import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type * as T from 'fp-ts/lib/Task.js'
import type { ReadEnv } from './Command.js'

/**
 * Describes for each account how its area overlaps with other areas, the storage and the data directory, for example `contains the storage`.
 * `once` reports each pair for one account only: the outer area, or of two equal areas the one with the smaller id. Each
 * area is compared only with its ancestors, so the cost stays linear.
 */
export const overlapsOf =
  (
    { areas, data }: Pick<ReadEnv, 'areas' | 'data'>,
    accounts: ReadonlyArray<Account>,
    { once = false } = {},
  ): T.Task<(user: UserId.UserId) => ReadonlyArray<string>> =>
  async () => {
    const paths = new Map<UserId.UserId, string>()
    for (const { id, location } of accounts) {
      const path = await areas.realPathOf(location)()
      if (path !== undefined) paths.set(id, path)
    }
    const usersAt = groupUsers([...paths].map(([user, path]) => [path, user]))
    const usersBelow = groupUsers(
      [...paths].flatMap(([user, path]) =>
        ancestorsOf(path)
          .filter((ancestor) => usersAt.has(ancestor))
          .map((ancestor) => [ancestor, user] as const),
      ),
    )
    const installed = [
      ['the data directory', await realPathOf(data)],
      ['the storage', (await areas.realPathOf()()) ?? ''],
    ] as const
    return (user) => {
      const path = paths.get(user)
      if (path === undefined) return []
      const ancestors = ancestorsOf(path)
      const equals = usersAt.get(path)?.filter((id) => (once ? id > user : id !== user))
      return [
        ...installed.flatMap(([name, other]) => {
          if (path === other) return [`is ${name} itself`]
          return ancestorsOf(other).includes(path) ? [`contains ${name}`] : []
        }),
        ...describeOverlap(`is the same ${areas.kind} as`, equals),
        ...describeOverlap('contains', usersBelow.get(path)),
        ...describeOverlap('is inside', once ? [] : ancestors.flatMap((ancestor) => usersAt.get(ancestor) ?? [])),
      ]
    }
  }

/** Resolves every symbolic link. Keeps the part of the path that does not exist yet. */
export const realPathOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path))
  }
}

const ancestorsOf = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [] : [...ancestorsOf(dirname(path)), dirname(path)]

type Users = ReadonlyArray<UserId.UserId>

const groupUsers = (entries: ReadonlyArray<readonly [path: string, user: UserId.UserId]>): Map<string, Users> => {
  const groups = new Map<string, Array<UserId.UserId>>()
  for (const [path, user] of entries) {
    const users = groups.get(path)
    if (users === undefined) groups.set(path, [user])
    else users.push(user)
  }
  return groups
}

const maxShown = 3

const describeOverlap = (relation: string, users: Users = []): ReadonlyArray<string> => {
  if (users.length === 0) return []
  const ids = users.slice(0, maxShown).map(UserId.toDecimal).join(', ')
  const areas = users.length === 1 ? `the area of account ${ids}` : `the areas of accounts ${ids}`
  return [`${relation} ${areas}${users.length > maxShown ? ` and ${users.length - maxShown} more` : ''}`]
}
