import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AreaMap from './AreaMap.js'
import type { PlaceEnv, RegistryLookEnv, StorageEnv } from './CommandEnv.js'
import type * as Json from './Json.js'

export const accountJson = (root: StorageRoot.StorageRoot, account: Account): Json.Fields => ({
  id: UserId.toDecimal(account.id),
  name: O.toNullable(account.name),
  verified: account.verified,
  area: AreaMap.directoryOf(root, account),
  mountPoint: account.isMountPoint,
})

/** `account 7 (Photos)`. */
export const titleOf = (account: Account): string =>
  `account ${UserId.toDecimal(account.id)}${O.isSome(account.name) ? ` (${account.name.value})` : ''}`

/** What the operator of an unverified account should know. */
export const verifyHint = (account: Account): ReadonlyArray<string> =>
  account.verified
    ? []
    : [
        `The account is not verified: until \`canopy account verify ${UserId.toDecimal(account.id)}\`, requests with its tokens answer \`not verified\`, and visitors get \`permission denied\`.`,
      ]

/** How the area of an account lies to others. What the registry does not answer here is left out. */
export const overlapsOf =
  (env: RegistryLookEnv & StorageEnv & PlaceEnv) =>
  (account: Account): T.Task<ReadonlyArray<string>> =>
    pipe(
      env.registry.accounts.all,
      TE.flatMapTask(AreaMap.of(env)),
      TE.match(
        () => [],
        (map) => AreaMap.inWords(AreaMap.overlapsOf(map, account.id)),
      ),
    )
