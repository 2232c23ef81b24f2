import { listPages, Name, Settings, StoragePath, type UserId, type Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './areas.js'
import type { Outcome, ReadEnv } from './Command.js'

/** Whether a path names a node now; `null` where the storage does not answer. */
export type Exists = boolean | null

export const exists = (storage: ReadEnv['storage'], account: Account, path: StoragePath.StoragePath): T.Task<Exists> =>
  pipe(
    storage.nodeAt(areaOf(account), path),
    TE.match(
      ({ error }): Exists => (error === 'external' ? null : false),
      () => true,
    ),
  )

/** `what` waits for a node where none is. */
export const waiting = (what: string, exists: Exists): ReadonlyArray<string> => {
  if (exists) return []
  return exists === null
    ? ['The storage did not answer, so whether a node exists there is not known: `canopy doctor` says why.']
    : [`No node exists there now; ${what} waits for one.`]
}

/** Equal for names that a file system may take for the same: in case, in Unicode form, by dots and spaces at the end. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, '')

type LookAlike = StoragePath.StoragePath | undefined

/** The listed path that differs from this one only in case or form; nothing where there is none. */
const lookAlikeOf = async (
  storage: ReadEnv['storage'],
  account: Account,
  path: StoragePath.StoragePath,
): Promise<LookAlike> => {
  let at = StoragePath.root
  for (const name of StoragePath.segments(path)) {
    const pages = await listPages(areaOf(account), at)(storage)()
    if (E.isLeft(pages)) return undefined
    const entries = pages.right.flatMap((page) => [...page.entries])
    const like =
      entries.find((entry) => entry.name === name) ?? entries.find((entry) => folded(entry.name) === folded(name))
    const next = like && O.toUndefined(StoragePath.child(at, like.name))
    if (next === undefined) return undefined
    at = next
  }
  return at
}

export interface Found {
  readonly exists: Exists
  /** Another path that may have been meant, where no node is at this one. */
  readonly lookAlike: LookAlike
}

export const find =
  (storage: ReadEnv['storage'], account: Account, path: StoragePath.StoragePath): T.Task<Found> =>
  async () => {
    const isThere = await exists(storage, account, path)()
    return { exists: isThere, lookAlike: isThere === false ? await lookAlikeOf(storage, account, path) : undefined }
  }

export const didYouMean = (path: StoragePath.StoragePath, { lookAlike }: Found): ReadonlyArray<string> =>
  lookAlike === undefined
    ? []
    : [`there is no ${shellWord(path)}; its directory lists ${shellWord(lookAlike)}: did you mean that?`]

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

/** Every setting, in byte order of the paths. */
export const listed =
  (storage: ReadEnv['storage'], { account, settings }: AccountSettings): T.Task<ReadonlyArray<Setting>> =>
  async () => {
    const all: Array<Setting> = []
    for (const [path, visibility] of [...Settings.entries(settings)].sort(([one], [other]) =>
      Name.byBytes.compare(one, other),
    ))
      all.push({ path, visibility, ...(await find(storage, account, path)()) })
    return all
  }
