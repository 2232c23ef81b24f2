import type { UserId } from '@canopy/domain'
import type { Account, NewAccount } from '@canopy/registry/admin'
import { createArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { failed, type Problem } from '../Problem.js'
import { refused } from '../refused.js'
import { freeAccountId } from './freeAccountId.js'

/** Without an id of its own choice it gets one that is free. */
export interface WantedAccount extends Omit<NewAccount, 'id'> {
  readonly id: O.Option<UserId.UserId>
}

export interface MadeAccount {
  readonly account: Account
  readonly areaIsNew: boolean
}

/** An account without its directory would answer every request with `external`: rather no account. */
const withItsArea =
  ({ registry, root }: RegistryEnv & StorageEnv) =>
  (account: Account): TE.TaskEither<Problem, MadeAccount> =>
    pipe(
      createArea(root, account.location),
      TE.mapLeft(({ error, reason }) => failed(error)(`there is no new account: ${reason}`)),
      TE.tapError(() => pipe(registry.accounts.delete(account.id), TE.mapLeft(refused))),
      TE.map(({ isNew }) => ({ account, areaIsNew: isNew })),
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
      TE.flatMap((id) => pipe(env.registry.accounts.create({ ...account, id }), TE.mapLeft(refused))),
      TE.flatMap(withItsArea(env)),
      // Without an id of its own choice, it takes the next when another process was quicker.
      TE.orElse((problem) =>
        problem.error === 'account exists' && O.isNone(account.id) ? makeAccount(account)(env) : TE.left(problem),
      ),
    )
