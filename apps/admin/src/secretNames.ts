import { type Area, explainVisibility, type ListEnv, listPages, Settings, StoragePath, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { ReadEnv } from './Command.js'

/** File names that usually hold secrets, in lower case. */
const secretNames: ReadonlyArray<readonly [pattern: RegExp, contents: string]> = [
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

const secretIn = (name: string): string | undefined =>
  secretNames.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1]

export const isSecretName = (name: string): boolean => secretIn(name) !== undefined

/** A node that is named like a secret and that visitors can reach. */
export interface ExposedSecret {
  readonly path: StoragePath.StoragePath
  readonly holds: string
  /** Whether its directory shows it to visitors. If not, they need to know the name. */
  readonly listed: boolean
}

/** A node counts as secret by its own name or by the name of a directory above it. */
const exposedSecretAt = (settings: Settings.Settings, path: StoragePath.StoragePath): ExposedSecret | undefined => {
  const { reachable, listed } = explainVisibility(settings, path)
  const holds = StoragePath.segments(path)
    .map(secretIn)
    .find((contents) => contents !== undefined)
  return reachable && holds !== undefined ? { path, holds, listed } : undefined
}

/** Filters the exposed secrets among the paths. Omits a secret inside another one. */
export const exposedSecrets = (
  settings: Settings.Settings,
  paths: ReadonlyArray<StoragePath.StoragePath>,
): ReadonlyArray<ExposedSecret> =>
  [...new Set(paths)].flatMap((path) => {
    const parent = O.toUndefined(StoragePath.parent(path))
    const isInside = parent !== undefined && exposedSecretAt(settings, parent) !== undefined
    return isInside ? [] : (exposedSecretAt(settings, path) ?? [])
  })

export interface SecretSearch {
  readonly secrets: ReadonlyArray<ExposedSecret>
  /** False when the area has too many nodes, or the storage did not answer. */
  readonly isComplete: boolean
}

/** Takes a fraction of a second on a local disk. */
const maxSearched = 10_000

/** Searches the secrets that the setting of a path exposes: the path itself and the nodes that inherit from it, nearest first. */
export const searchSecrets =
  (
    storage: ListEnv,
    area: Area.Area,
    settings: Settings.Settings,
    path: StoragePath.StoragePath,
    showProgress: ReadEnv['showProgress'],
  ): T.Task<SecretSearch> =>
  async () => {
    const own = exposedSecretAt(settings, path)
    if (own !== undefined) return { secrets: [own], isComplete: true }
    if (!explainVisibility(settings, path).reachable) return { secrets: [], isComplete: true }
    const secrets: Array<ExposedSecret> = []
    const directories = [path]
    let searched = 0
    let isComplete = true
    for (const directory of directories) {
      const pages = await listPages(area, directory)(storage)()
      if (E.isLeft(pages)) {
        // Any other failure means that `path` is a file or does not exist.
        if (pages.left.error === 'external') isComplete = false
        continue
      }
      for (const { name, type } of pages.right.flatMap(({ entries }) => [...entries])) {
        searched += 1
        showProgress(`searching for names of secrets: ${searched} nodes`)
        if (searched > maxSearched) return { secrets, isComplete: false }
        const child = O.toUndefined(StoragePath.child(directory, name))
        if (child === undefined || O.isSome(Settings.ownAt(settings, child))) continue
        const secret = exposedSecretAt(settings, child)
        if (secret !== undefined) secrets.push(secret)
        else if (type === 'dir') directories.push(child)
      }
    }
    return { secrets, isComplete }
  }

export const describeSecret = (account: UserId.UserId, { path, holds, listed }: ExposedSecret): string =>
  `visitors ${listed ? 'can see' : 'who know the path can reach'} a name that usually holds ${holds}: \`canopy visibility set ${UserId.toDecimal(account)} ${shellWord(path)} private\` hides it`

const maxWarnings = 10

export const secretWarnings = (
  account: UserId.UserId,
  { secrets, isComplete }: SecretSearch,
): ReadonlyArray<string> => [
  ...secrets.slice(0, maxWarnings).map((secret) => `Warning: ${secret.path}: ${describeSecret(account, secret)}.`),
  ...(secrets.length > maxWarnings
    ? [`Warning: ${secrets.length - maxWarnings} more such names: \`canopy doctor\` lists all.`]
    : []),
  ...(isComplete ? [] : ['The search for names of secrets was not complete: `canopy doctor` searches everything.']),
]

export const secretsJson = ({ secrets, isComplete }: SecretSearch) => ({ secrets, searchedAll: isComplete })
