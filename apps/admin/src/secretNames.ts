import { type Area, explainVisibility, NamePattern, type Rule, Settings, StoragePath, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { ReadEnv } from './Command.js'
import { searchArea } from './walk.js'

/**
 * Names that usually hold secrets. `canopy account create --recommended-rules` makes the recommended ones private, and commands
 * warn of all of them.
 */
const secretNames: ReadonlyArray<readonly [contents: string, recommended: string, others?: string]> = [
  ["a repository's full history", '.git .svn .hg'],
  ['private keys', '.ssh .gnupg'],
  ['cloud or cluster credentials', '.aws', '.azure .kube .docker'],
  ["an application's passwords and keys", '.env .env.*', '.envrc'],
  ['password hashes', '.htpasswd', '.htdigest'],
  ['login credentials', '.netrc', '.npmrc .pgpass .pypirc .git-credentials'],
  ['a private key', 'id_rsa id_ed25519', 'id_dsa id_ecdsa id_ecdsa_sk id_ed25519_sk'],
  ['a private key', '*.pem *.key', '?*.ppk ?*.p12 ?*.pfx ?*.jks'],
  ['a password database', '*.kdbx', '?*.kdb'],
]

/** Templates of a program's `.env` are published on purpose. */
const templates = '.env.example .env.sample .env.template .env.dist'

const patternsOf = (texts: string, contents?: string) =>
  texts
    .split(' ')
    .filter(NamePattern.is)
    .map((pattern) => ({ pattern, contents }))

/** For a new account. */
export const recommendedRules: ReadonlyArray<Rule> = secretNames.flatMap(([, recommended]) =>
  patternsOf(recommended).map(({ pattern }) => ({ pattern, visibility: 'private' })),
)

/** Templates come first: they match patterns of secrets too. */
const patterns = [
  ...patternsOf(templates),
  ...secretNames.flatMap(([contents, recommended, others = '']) => patternsOf(`${recommended} ${others}`, contents)),
]

const secretIn = (name: string): string | undefined =>
  patterns.find(({ pattern }) => NamePattern.matches(pattern, name))?.contents

export const isSecretName = (name: string): boolean => secretIn(name) !== undefined

/** A node that is named like a secret and that visitors can reach. */
export interface ExposedSecret {
  readonly path: StoragePath.StoragePath
  readonly holds: string
  /** Whether its directory shows it to visitors. If not, they need to know the name. */
  readonly listed: boolean
}

/** A node counts as secret by its own name or by the name of a directory above it. */
export const exposedSecretAt = (
  settings: Settings.Settings,
  path: StoragePath.StoragePath,
): ExposedSecret | undefined => {
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

/** Searches the secrets that the setting of a path exposes: the path itself and the nodes that inherit from it, nearest first. */
export const searchSecrets =
  (
    env: Pick<ReadEnv, 'storage' | 'showProgress'>,
    area: Area.Area,
    settings: Settings.Settings,
    path: StoragePath.StoragePath,
  ): T.Task<SecretSearch> =>
  async () => {
    const own = exposedSecretAt(settings, path)
    if (own !== undefined) return { secrets: [own], isComplete: true }
    if (!explainVisibility(settings, path).reachable) return { secrets: [], isComplete: true }
    const secrets: Array<ExposedSecret> = []
    const isComplete = await searchArea(env, area, path, (child) => {
      if (O.isSome(Settings.ownAt(settings, child))) return false
      const secret = exposedSecretAt(settings, child)
      if (secret !== undefined) secrets.push(secret)
      return secret === undefined
    })
    return { secrets, isComplete }
  }

/** `canopy` begins a command line for the same installation. */
export const describeSecret = (
  account: UserId.UserId,
  { path, holds, listed }: ExposedSecret,
  canopy = 'canopy',
): string =>
  `${listed ? 'visitors can see it' : 'visitors who know the path can request it'}, and its name suggests that it contains ${holds}: run \`${canopy} visibility set ${UserId.toDecimal(account)} ${shellWord(path)} private\` to make it private`

const maxWarnings = 10

export const secretWarnings = (
  account: UserId.UserId,
  { secrets, isComplete }: SecretSearch,
  canopy = 'canopy',
): ReadonlyArray<string> => [
  ...secrets
    .slice(0, maxWarnings)
    .map((secret) => `Warning: ${secret.path}: ${describeSecret(account, secret, canopy)}.`),
  ...(secrets.length > maxWarnings
    ? [`Warning: ${secrets.length - maxWarnings} more such paths. Run \`${canopy} doctor\` to list all of them.`]
    : []),
  ...(isComplete
    ? []
    : [`The search for exposed secrets did not cover the whole area. Run \`${canopy} doctor\` to search all of it.`]),
]

export const secretsJson = ({ secrets, isComplete }: SecretSearch) => ({ secrets, searchedAll: isComplete })
