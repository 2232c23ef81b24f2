import { Area, type UserId } from '@canopy/domain'
import type { Account, NewAccount } from '@canopy/registry/admin'
import { createArea } from '@canopy/storage-fs/admin'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { PlaceEnv, RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { failed, type Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import * as AreaMap from './AreaMap.js'
import { accountJson, areaOf, titleOf, verifyHint } from './describeAccount.js'
import { freeAccountId } from './freeAccountId.js'

export interface CreateAccountOptions {
  readonly id?: string
  readonly name?: string
  readonly area?: string
  readonly verified?: boolean
}

/** Without an id of its own choice it gets one that is free. */
export interface WantedAccount extends Omit<NewAccount, 'id'> {
  readonly id: O.Option<UserId.UserId>
}

export interface MadeAccount {
  readonly account: Account
  readonly areaIsNew: boolean
}

const wantedAccount = (options: CreateAccountOptions): E.Either<Problem, WantedAccount> =>
  sequenceS(E.Apply)({
    id: Argument.optional(Argument.userId)(options.id),
    name: Argument.optional(Argument.notEmpty('--name'))(options.name),
    location: pipe(options.area, Argument.optional(Argument.notEmpty('--area')), E.map(O.map(Area.location))),
    verified: E.right(options.verified ?? false),
  })

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

const overlapsIn =
  (env: RegistryEnv & StorageEnv & PlaceEnv) =>
  ({ account }: MadeAccount): TE.TaskEither<Problem, ReadonlyArray<string>> =>
    pipe(
      env.registry.accounts.all,
      TE.mapLeft(refused),
      TE.flatMapTask(AreaMap.of(env)),
      TE.map((map) => AreaMap.inWords(AreaMap.overlapsOf(map, account.id))),
    )

export const createAccount =
  (options: CreateAccountOptions) =>
  (env: RegistryEnv & StorageEnv & PlaceEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(wantedAccount(options)),
      TE.flatMap((account) => makeAccount(account)(env)),
      TE.bindTo('made'),
      TE.bind('overlaps', ({ made }) => overlapsIn(env)(made)),
      TE.map(({ made: { account, areaIsNew }, overlaps }) =>
        report({ ...accountJson(env.root, account), areaIsNew, overlaps }, [
          `Made ${titleOf(account)}, ${account.verified ? 'verified' : 'not verified'}.`,
          `Its files: ${areaOf(env.root, account)}`,
          ...(areaIsNew ? ['The directory is new, and empty.'] : []),
          ...overlaps.map((words) => `Mind its directory: ${words}.`),
          ...verifyHint(account),
        ]),
      ),
    )
