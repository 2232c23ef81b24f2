import { Area } from '@canopy/domain'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { PlaceEnv, RegistryEnv, StorageEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import * as AreaMap from './AreaMap.js'
import { accountJson } from './accountJson.js'
import { directoryOf } from './directoryOf.js'
import { type MadeAccount, makeAccount, type WantedAccount } from './makeAccount.js'
import { titleOf } from './titleOf.js'
import { verifyHint } from './verifyHint.js'

export interface CreateAccountOptions {
  readonly id?: string
  readonly name?: string
  readonly area?: string
  readonly verified?: boolean
}

const wantedAccount = (options: CreateAccountOptions): E.Either<Problem, WantedAccount> =>
  sequenceS(E.Apply)({
    id: Argument.optional(Argument.userId)(options.id),
    name: Argument.optional(Argument.notEmpty('--name'))(options.name),
    location: pipe(options.area, Argument.optional(Argument.notEmpty('--area')), E.map(O.map(Area.location))),
    verified: E.right(options.verified ?? false),
  })

/** The account is made: what cannot be asked any more is not said. */
const overlapsIn =
  (env: RegistryEnv & StorageEnv & PlaceEnv) =>
  ({ account }: MadeAccount): T.Task<ReadonlyArray<string>> =>
    pipe(
      env.registry.accounts.all,
      TE.flatMapTask(AreaMap.of(env)),
      TE.match(
        () => [],
        (map) => AreaMap.inWords(AreaMap.overlapsOf(map, account.id)),
      ),
    )

export const createAccount =
  (options: CreateAccountOptions) =>
  (env: RegistryEnv & StorageEnv & PlaceEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(wantedAccount(options)),
      TE.flatMap((account) => makeAccount(account)(env)),
      TE.bindTo('made'),
      TE.bind('overlaps', ({ made }) => TE.fromTask(overlapsIn(env)(made))),
      TE.map(({ made: { account, areaIsNew }, overlaps }) =>
        report({ ...accountJson(env.root, account), areaIsNew, overlaps }, [
          `Made ${titleOf(account)}, ${account.verified ? 'verified' : 'not verified'}.`,
          `Its files: ${directoryOf(env.root, account)}`,
          ...(areaIsNew ? ['The directory is new, and empty.'] : []),
          ...overlaps.map((words) => `Mind its directory: ${words}.`),
          ...verifyHint(account),
        ]),
      ),
    )
