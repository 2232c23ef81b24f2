import { Name, Settings, StoragePath, type UserId, type Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './AreaStore.js'
import type { Outcome, ReadEnv } from './Command.js'
import { maxNodes, pagesOf } from './walk.js'

export interface NodeLookup {
  readonly exists: Existence
  /** The path that was probably meant, where no node exists at this one. */
  readonly lookAlike: StoragePath.StoragePath | undefined
}

/** `null` when the storage did not answer. */
export type Existence = boolean | null

type Storage = ReadEnv['storage']

export const lookUpNode =
  (storage: Storage, account: Account, path: StoragePath.StoragePath): T.Task<NodeLookup> =>
  async () => {
    const exists = await nodeExists(storage, account, path)()
    return { exists, lookAlike: exists === false ? await findLookAlike(storage, account, path) : undefined }
  }

export const nodeExists = (storage: Storage, account: Account, path: StoragePath.StoragePath): T.Task<Existence> =>
  pipe(
    storage.nodeAt(areaOf(account), path),
    TE.match(
      ({ error }): Existence => (error === 'external' ? null : false),
      () => true,
    ),
  )

/** Maps names that a file system may treat as equal to one text: case, Unicode form, trailing dots and spaces. */
const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, '')

/** Finds a listed path that differs from this one only in case or Unicode form. */
const findLookAlike = async (
  storage: Storage,
  account: Account,
  path: StoragePath.StoragePath,
): Promise<StoragePath.StoragePath | undefined> => {
  let found = StoragePath.root
  for (const name of StoragePath.segments(path)) {
    const exact = O.toUndefined(StoragePath.child(found, name))
    const isThere = exact !== undefined && (await nodeExists(storage, account, exact)()) === true
    const child = isThere ? exact : await findAlike(storage, account, found, name)
    if (child === undefined) return undefined
    found = child
  }
  return found
}

/** Searches the first {@link maxNodes} entries of a directory. */
const findAlike = async (
  storage: Storage,
  account: Account,
  directory: StoragePath.StoragePath,
  name: Name.Name,
): Promise<StoragePath.StoragePath | undefined> => {
  let count = 0
  for await (const page of pagesOf(storage, areaOf(account), directory)) {
    if (E.isLeft(page)) return undefined
    const match = page.right.find((entry) => foldName(entry.name) === foldName(name))
    if (match !== undefined) return O.toUndefined(StoragePath.child(directory, match.name))
    count += page.right.length
    if (count >= maxNodes) return undefined
  }
  return undefined
}

export const storageSilentNote =
  'Canopy could not read the storage, so it did not check whether the path exists. Run `canopy doctor` to see why.'

export const missingNodeNote = (subject: string, exists: Existence): ReadonlyArray<string> => {
  if (exists === null) return [storageSilentNote]
  return exists ? [] : [`The path does not exist yet; ${subject} applies as soon as it does.`]
}

export const describeLookAlike = ({ lookAlike }: NodeLookup): ReadonlyArray<string> =>
  lookAlike === undefined ? [] : [`Did you mean ${shellWord(lookAlike)}?`]

/** An account and every visibility set in its area. */
export interface AccountSettings {
  readonly account: Account
  readonly settings: Settings.Settings
}

export const accountSettings = (registry: ReadEnv['registry'], user: UserId.UserId): Outcome<AccountSettings> =>
  pipe(
    registry.accounts.find(user),
    TE.bindTo('account'),
    TE.bindW('settings', () => registry.settings.of(user)),
  )

export interface SettingWithNode extends NodeLookup {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
}

/** Looks up the node of every setting, in byte order of the paths. */
export const lookUpSettings =
  (storage: Storage, { account, settings }: AccountSettings): T.Task<ReadonlyArray<SettingWithNode>> =>
  async () => {
    const found: Array<SettingWithNode> = []
    for (const [path, visibility] of [...Settings.entries(settings)].sort(([one], [other]) =>
      Name.byBytes.compare(one, other),
    ))
      found.push({ path, visibility, ...(await lookUpNode(storage, account, path)()) })
    return found
  }
