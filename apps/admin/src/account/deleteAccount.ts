import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { accountJson } from './accountJson.js'
import { directoryOf } from './directoryOf.js'
import { titleOf } from './titleOf.js'

export const deleteAccount =
  (id: string) =>
  ({ registry, root }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) => pipe(registry.accounts.delete(user), TE.mapLeft(refused))),
      TE.map((account) =>
        report(accountJson(root, account), [
          `Deleted ${titleOf(account)} with its tokens and visibility settings.`,
          `Its files stay in ${directoryOf(root, account)}: remove that directory yourself if nobody needs it.`,
        ]),
      ),
    )
