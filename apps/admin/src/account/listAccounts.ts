import { UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { accountJson } from './accountJson.js'
import { directoryOf } from './directoryOf.js'

export const listAccounts = ({ registry, root }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
  pipe(
    registry.accounts.all,
    TE.mapLeft(refused),
    TE.map((accounts) =>
      report(
        accounts.map((account) => accountJson(root, account)),
        accounts.length === 0
          ? ['There are no accounts: `canopy account create` makes one.']
          : columns([
              ['ID', 'NAME', 'VERIFIED', 'AREA'],
              ...accounts.map((account) => [
                UserId.toDecimal(account.id),
                O.getOrElse(() => '-')(account.name),
                account.verified ? 'yes' : 'no',
                directoryOf(root, account),
              ]),
            ]),
      ),
    ),
  )
