import { type U64, UserId } from '@canopy/domain'
import type { Account, TokenRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccountSettings from '../AccountSettings.js'
import * as AreaMap from '../AreaMap.js'
import type { ClockEnv, PatienceEnv, PlaceEnv, RegistryReaderEnv, StorageEnv } from '../CommandEnv.js'
import * as Existence from '../Existence.js'
import type { Problem } from '../Problem.js'
import type { Report } from '../Report.js'
import { refused } from '../refused.js'
import { areaFindings } from './areaFindings.js'
import * as Finding from './Finding.js'
import { overlapFindings } from './overlapFindings.js'
import { registryFindings } from './registryFindings.js'
import { secretFindings, settingFindings } from './settingFindings.js'
import { storageFindings } from './storageFindings.js'
import { type ScopedToken, tokenFindings } from './tokenFindings.js'
import { triggerFindings } from './triggerFindings.js'

const scoped =
  ({ storage }: StorageEnv, account: Account) =>
  (token: TokenRecord): T.Task<ScopedToken> =>
    pipe(
      Existence.of(storage)(AccountSettings.areaOf({ account }), token.scope),
      T.map((existence) => ({ token, existence })),
    )

const accountFindings =
  (env: RegistryReaderEnv & StorageEnv & PatienceEnv, now: U64.U64) =>
  (account: Account): TE.TaskEither<Problem, ReadonlyArray<Finding.Finding>> => {
    const { registry, root, storage, whenSlow } = env
    const directory = AreaMap.directoryOf(root, account)
    return pipe(
      areaFindings(account, directory),
      whenSlow(`still walking the area of account ${UserId.toDecimal(account.id)}, ${directory}`),
      TE.bindTo('area'),
      TE.bind('known', () => AccountSettings.of(account.id)({ registry })),
      TE.bind('listed', ({ known }) => TE.fromTask(AccountSettings.withExistence(storage)(known))),
      TE.bind('tokens', () =>
        pipe(
          registry.tokens.of(account.id),
          TE.mapLeft(refused),
          TE.flatMapTask(T.traverseSeqArray(scoped(env, account))),
        ),
      ),
      TE.map(
        ({ area, known, listed, tokens }): ReadonlyArray<Finding.Finding> => [
          ...area.findings,
          ...settingFindings(known, listed),
          ...secretFindings(known, listed, area.secrets),
          ...tokenFindings(tokens, now),
        ],
      ),
      // Deleted meanwhile, there is nothing to say of it.
      TE.orElse((problem) => (problem.error === 'no such account' ? TE.right([]) : TE.left(problem))),
    )
  }

const summary = (accounts: number, triggers: number, notes: number, others: number): string =>
  [
    others === 0 ? 'Nothing needs attention.' : `Findings: ${others}.`,
    ...(notes === 0 ? [] : [`Notes: ${notes}.`]),
    `Accounts looked at: ${accounts}; triggers: ${triggers}.`,
  ].join(' ')

const describe = (accounts: number, triggers: number, findings: ReadonlyArray<Finding.Finding>): Report => {
  const notes = findings.filter(Finding.isNote).length
  const others = findings.length - notes
  return {
    json: findings.map(Finding.toJson),
    lines: [
      ...findings.map(Finding.toLine),
      ...(findings.length === 0 ? [] : ['']),
      summary(accounts, triggers, notes, others),
    ],
    exit: others === 0 ? 0 : 1,
  }
}

/** What in the registry and the storage may surprise an operator. Changes nothing. */
export const doctor = (
  env: RegistryReaderEnv & StorageEnv & ClockEnv & PatienceEnv & Pick<PlaceEnv, 'data'>,
): TE.TaskEither<Problem, Report> =>
  pipe(
    TE.fromIO<U64.U64, Problem>(env.now),
    TE.bindTo('time'),
    TE.bind('damage', () => registryFindings(env.registry)),
    TE.bind('accounts', () => pipe(env.registry.accounts.all, TE.mapLeft(refused))),
    TE.bind('areas', ({ accounts }) => TE.fromTask(AreaMap.of(env)(accounts))),
    TE.bind('findings', ({ accounts, time }) => pipe(accounts, TE.traverseSeqArray(accountFindings(env, time)))),
    TE.bind('triggers', () => pipe(env.registry.triggers.all, TE.mapLeft(refused))),
    TE.bind('storage', () => TE.fromTask(storageFindings(env.root))),
    TE.map(({ accounts, areas, damage, findings, storage, triggers, time }) =>
      describe(accounts.length, triggers.length, [
        ...damage,
        ...storage,
        ...accounts.flatMap(overlapFindings(areas)),
        ...findings.flat(),
        ...triggerFindings(triggers, time),
      ]),
    ),
  )
