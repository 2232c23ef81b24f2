import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { accountJson } from './accountJson.js'
import { titleOf } from './titleOf.js'
import { verifyHint } from './verifyHint.js'

const setVerified =
  (verified: boolean) =>
  (id: string) =>
  ({ registry, root }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) => pipe(registry.accounts.setVerified(user, verified), TE.mapLeft(refused))),
      TE.map((account) =>
        report(accountJson(root, account), [
          `Now ${titleOf(account)} is ${verified ? 'verified' : 'not verified'}.`,
          ...verifyHint(account),
        ]),
      ),
    )

export const verifyAccount = setVerified(true)
export const unverifyAccount = setVerified(false)
