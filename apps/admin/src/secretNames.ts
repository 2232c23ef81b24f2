import { type Area, explainVisibility, type ListEnv, listPages, Settings, StoragePath, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { ReadEnv } from './Command.js'

/** Names that usually hold secrets, in lower case, and what they hold. */
const secretNames: ReadonlyArray<readonly [names: RegExp, holds: string]> = [
  [/^\.(git|hg|svn)$/, 'the whole history of a repository'],
  // Templates of such files are published on purpose.
  [/^\.env(rc)?$|^\.env\.(?!(example|sample|template|dist)$)/, 'passwords and keys of a program'],
  [/^\.ht(passwd|digest)$/, 'hashes of passwords'],
  [/^\.(ssh|gnupg)$/, 'private keys'],
  [/^\.(aws|azure|kube|docker)$/, 'credentials of a cloud or a cluster'],
  [/^\.(npmrc|netrc|pgpass|pypirc|git-credentials)$/, 'logins'],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, 'a private key'],
  [/.\.(pem|key|ppk|p12|pfx|jks)$/, 'a private key'],
  [/.\.kdbx?$/, 'a database of passwords'],
]

/** What a node of this name usually holds, if that is secret. */
const heldBy = (name: string): string | undefined => secretNames.find(([names]) => names.test(name.toLowerCase()))?.[1]

export const isSecretName = (name: string): boolean => heldBy(name) !== undefined

/** A node that usually holds secrets, and that visitors can see or reach. */
export interface OpenSecret {
  readonly path: StoragePath.StoragePath
  readonly holds: string
  /** Visitors find it in its directory; else only those who ask for it by its name are answered. */
  readonly listed: boolean
}

/** Nothing where the path is private, and where neither its name nor one above it is that of a secret. */
const openSecret = (settings: Settings.Settings, path: StoragePath.StoragePath): OpenSecret | undefined => {
  const { reachable, listed } = explainVisibility(settings, path)
  const holds = StoragePath.segments(path)
    .map(heldBy)
    .find((held) => held !== undefined)
  return reachable && holds !== undefined ? { path, holds, listed } : undefined
}

/** Those of these nodes that are open secrets, without those that lie in another one. */
export const openSecrets = (
  settings: Settings.Settings,
  paths: ReadonlyArray<StoragePath.StoragePath>,
): ReadonlyArray<OpenSecret> =>
  [...new Set(paths)].flatMap((path) => {
    const above = O.toUndefined(StoragePath.parent(path))
    const isIn = above !== undefined && openSecret(settings, above) !== undefined
    return isIn ? [] : (openSecret(settings, path) ?? [])
  })

export interface Opened {
  readonly secrets: ReadonlyArray<OpenSecret>
  /** False where the area has more nodes than were searched, or the storage did not answer. */
  readonly isWhole: boolean
}

/** The most nodes that a change of a setting searches: a fraction of a second on a local disk. */
const mostSearched = 10_000

/** What a setting of a path opens: the path, and what is below it and inherits that. Nearest first. */
export const secretsOpened =
  (
    storage: ListEnv,
    area: Area.Area,
    settings: Settings.Settings,
    path: StoragePath.StoragePath,
    progress: ReadEnv['progress'],
  ): T.Task<Opened> =>
  async () => {
    const itself = openSecret(settings, path)
    if (itself !== undefined) return { secrets: [itself], isWhole: true }
    if (!explainVisibility(settings, path).reachable) return { secrets: [], isWhole: true }
    const secrets: Array<OpenSecret> = []
    const directories = [path]
    let searched = 0
    let isWhole = true
    for (const directory of directories) {
      const listed = await listPages(area, directory)(storage)()
      if (E.isLeft(listed)) {
        // Else it is a file.
        if (listed.left.error === 'external') isWhole = false
        continue
      }
      for (const { name, type } of listed.right.flatMap(({ entries }) => [...entries])) {
        searched += 1
        progress(`searching for names of secrets: ${searched} nodes`)
        if (searched > mostSearched) return { secrets, isWhole: false }
        const child = O.toUndefined(StoragePath.child(directory, name))
        if (child === undefined || O.isSome(Settings.ownAt(settings, child))) continue
        const secret = openSecret(settings, child)
        if (secret !== undefined) secrets.push(secret)
        else if (type === 'dir') directories.push(child)
      }
    }
    return { secrets, isWhole }
  }

/** `visitors can see it`, why that matters, and what to do. */
export const warning = (account: UserId.UserId, { path, holds, listed }: OpenSecret): string =>
  `visitors can ${listed ? 'see' : 'reach, by its name,'} what usually holds ${holds}: \`canopy visibility set ${UserId.toDecimal(account)} ${shellWord(path)} private\``

/** The most warnings for people. */
const shown = 10

export const openedLines = (account: UserId.UserId, { secrets, isWhole }: Opened): ReadonlyArray<string> => [
  ...secrets.slice(0, shown).map((secret) => `Warning: ${secret.path}: ${warning(account, secret)}.`),
  ...(secrets.length > shown
    ? [`Warning: ${secrets.length - shown} more of that kind: \`canopy doctor\` shows all.`]
    : []),
  ...(isWhole ? [] : ['Not all that this opens was searched for names of secrets: `canopy doctor` searches all.']),
]

export const openedJson = ({ secrets, isWhole }: Opened) => ({ secrets, searchedAll: isWhole })
