import { readdir } from 'node:fs/promises'
import { U64, UserId } from '@canopy/domain'
import { errnoOf } from '@canopy/files'
import type { Account, NewAccount } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { type CreatedArea, createArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryEnv, StorageEnv } from './CommandEnv.js'
import { external, failed, type Problem } from './Problem.js'
import { refused } from './refused.js'

const namesIn = (root: StorageRoot.StorageRoot): TE.TaskEither<Problem, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => readdir(root),
      (cause) => cause,
    ),
    TE.orElse((cause) =>
      errnoOf(cause) === 'ENOENT' ? TE.right([]) : TE.left(external(`cannot read the storage ${root}`)(cause)),
    ),
  )

/** The smallest from 1; among one more candidates than there are used ids, one is free. */
const smallestUnused = (used: ReadonlySet<string>): UserId.UserId => {
  const candidates = Array.from({ length: used.size + 1 }, (_, index) => BigInt(index + 1))
  return U64.clamp(candidates.find((n) => !used.has(n.toString())) ?? 0n) as UserId.UserId
}

/** An id that no account has, and no directory either: it may hold files of somebody whose account is not here. */
const freeAccountId = ({ registry, root }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, UserId.UserId> =>
  pipe(
    TE.Do,
    TE.bind('accounts', () => pipe(registry.accounts.all, TE.mapLeft(refused))),
    TE.bind('names', () => namesIn(root)),
    TE.map(({ accounts, names }) =>
      smallestUnused(new Set([...names, ...accounts.map(({ id }) => UserId.toDecimal(id))])),
    ),
  )

/** Without an id of its own choice it gets one that is free. */
export interface WantedAccount extends Omit<NewAccount, 'id'> {
  readonly id: O.Option<UserId.UserId>
}

export interface MadeAccount {
  readonly account: Account
  readonly area: CreatedArea
}

/**
 * Makes the directory of an account, and records what it found there. An account without its directory would answer every
 * request with `external`: if that fails, there is no account.
 */
const withItsArea =
  ({ registry, root }: RegistryEnv & StorageEnv, verified: boolean) =>
  (account: Account): TE.TaskEither<Problem, MadeAccount> =>
    pipe(
      createArea(root, account.location),
      TE.mapLeft(({ error, reason }) => failed(error)(`there is no new account: ${reason}`)),
      TE.bindTo('area'),
      TE.bind('made', ({ area: { isNew, isMountPoint } }) =>
        pipe(registry.accounts.update(account.id, { verified, isMountPoint, areaMade: isNew }), TE.mapLeft(refused)),
      ),
      TE.tapError(() => pipe(registry.accounts.delete(account.id), TE.mapLeft(refused))),
      TE.map(({ area, made }) => ({ account: made, area })),
    )

const idOf = (account: WantedAccount, env: RegistryEnv & StorageEnv): TE.TaskEither<Problem, UserId.UserId> =>
  pipe(
    account.id,
    O.match(() => freeAccountId(env), TE.right),
  )

/** An account and the directory of its area. */
export const makeAccount =
  (account: WantedAccount) =>
  (env: RegistryEnv & StorageEnv): TE.TaskEither<Problem, MadeAccount> =>
    pipe(
      idOf(account, env),
      // No request is answered for it before its area is recorded.
      TE.flatMap((id) => pipe(env.registry.accounts.create({ ...account, id, verified: false }), TE.mapLeft(refused))),
      TE.flatMap(withItsArea(env, account.verified)),
      // Without an id of its own choice, it takes the next when another process was quicker.
      TE.orElse((problem) =>
        problem.error === 'account exists' && O.isNone(account.id) ? makeAccount(account)(env) : TE.left(problem),
      ),
    )
