import { type Area, type Failure, Name, type Settings, StoragePath, type UserId, type Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './areas.js'
import type { Outcome, ReadEnv } from './Command.js'

/** Whether a path names a node now, or why not: `type mismatch` behind a file, `external` where the storage does not say. */
export type Existence = 'there' | Failure.OfStorage['error']

export const of = (storage: ReadEnv['storage'], area: Area.Area, path: StoragePath.StoragePath): T.Task<Existence> =>
  pipe(
    storage.nodeAt(area, path),
    TE.match(
      ({ error }): Existence => error,
      () => 'there',
    ),
  )

export const isMissing = (existence: Existence): boolean => existence !== 'there' && existence !== 'external'

/** `null` when unknown. */
export const toJson = (existence: Existence): boolean | null =>
  existence === 'external' ? null : existence === 'there'

/** `waiting` is what then waits for a node. */
export const note = (waiting: string, existence: Existence): ReadonlyArray<string> => {
  if (existence === 'there') return []
  if (existence === 'external')
    return ['The storage did not answer, so whether a node exists there is not known: `canopy doctor` says why.']
  const where = existence === 'type mismatch' ? ', the path runs through a file' : ''
  return [`No node exists there now${where}; ${waiting} waits for one.`]
}

/** Equal for names that a file system may take for the same: in case, in Unicode form, by dots and spaces at the end. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, '')

/** The listed path that differs from this one only in case or form; nothing where there is none, or this one is listed. */
const lookAlikeOf = async (
  { list }: ReadEnv['storage'],
  area: Area.Area,
  path: StoragePath.StoragePath,
): Promise<StoragePath.StoragePath | undefined> => {
  let at = StoragePath.root
  for (const name of StoragePath.segments(path)) {
    const listing = await list(area, at)()
    if (E.isLeft(listing)) return undefined
    let like: Name.Name | undefined
    for (const entry of listing.right.entries) {
      if (entry.name === name) like = name
      else if (like === undefined && folded(entry.name) === folded(name)) like = entry.name
    }
    const next = like === undefined ? undefined : O.toUndefined(StoragePath.child(at, like))
    if (next === undefined) return undefined
    at = next
  }
  return at === path ? undefined : at
}

/** Whether a node is at a path, and which other path may have been meant where none is. */
export interface Found {
  readonly existence: Existence
  readonly lookAlike: StoragePath.StoragePath | undefined
}

export const find =
  (storage: ReadEnv['storage'], area: Area.Area, path: StoragePath.StoragePath): T.Task<Found> =>
  async () => {
    const existence = await of(storage, area, path)()
    return { existence, lookAlike: isMissing(existence) ? await lookAlikeOf(storage, area, path) : undefined }
  }

export const didYouMean = (path: StoragePath.StoragePath, { lookAlike }: Found): ReadonlyArray<string> =>
  lookAlike === undefined
    ? []
    : [`there is no ${shellWord(path)}; its directory lists ${shellWord(lookAlike)}: did you mean that?`]

export const foundJson = ({ existence, lookAlike }: Found) => ({ exists: toJson(existence), lookAlike })

/** An account and every visibility set in its area. */
export interface AccountSettings {
  readonly account: Account
  readonly settings: Settings.Settings
}

export const settingsOf = (registry: ReadEnv['registry'], user: UserId.UserId): Outcome<AccountSettings> =>
  pipe(
    registry.accounts.find(user),
    TE.bindTo('account'),
    TE.bindW('settings', () => registry.settings.of(user)),
  )

export interface Setting extends Found {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
}

/** Every setting with whether its node exists, in byte order of the paths. */
export const ofSettings =
  (storage: ReadEnv['storage'], { account, settings }: AccountSettings): T.Task<ReadonlyArray<Setting>> =>
  async () => {
    const found: Array<Setting> = []
    for (const [path, visibility] of [...settings].sort(([one], [other]) => Name.byBytes.compare(one, other)))
      found.push({ path, visibility, ...(await find(storage, areaOf(account), path)()) })
    return found
  }
