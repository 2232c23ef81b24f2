import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AreaMap from './AreaMap.js'
import * as Argument from './Argument.js'
import type { Chosen, ConfirmEnv, PlaceEnv, RegistryEnv, RegistryLookEnv, StorageEnv } from './CommandEnv.js'
import { accountJson, overlapsOf, titleOf } from './describeAccount.js'
import type * as Json from './Json.js'
import { failed, type Problem, wrongUsage } from './Problem.js'
import { type Report, report } from './Report.js'
import { refused } from './refused.js'

type Outcome = TE.TaskEither<Problem, Report>
type LookEnv = RegistryLookEnv & StorageEnv & PlaceEnv

/** What is deleted with an account, and what stays. */
interface Deletion {
  readonly account: Account
  readonly tokens: number
  readonly settings: number
  /** Canopy made the directory of its area, and no other area, nor the storage or the data directory, is in it or around it. */
  readonly removable: boolean
}

const deletionOf =
  (id: string) =>
  (env: LookEnv): TE.TaskEither<Problem, Deletion> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) =>
        pipe(
          TE.Do,
          TE.bind('account', () => env.registry.accounts.find(user)),
          TE.bind('tokens', () =>
            pipe(
              env.registry.tokens.of(user),
              TE.map(({ length }) => length),
            ),
          ),
          TE.bind('settings', () =>
            pipe(
              env.registry.settings.of(user),
              TE.map(({ size }) => size),
            ),
          ),
          TE.mapLeft(refused),
        ),
      ),
      TE.bind('removable', ({ account }) =>
        account.areaMade && !account.isMountPoint
          ? TE.fromTask(
              pipe(
                overlapsOf(env)(account),
                T.map(({ length }) => length === 0),
              ),
            )
          : TE.right(false),
      ),
    )

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const withWhat = ({ tokens, settings }: Deletion): string =>
  `with its ${counted(tokens, 'token')} and ${counted(settings, 'visibility setting')}`

const deletionJson = (root: StorageRoot.StorageRoot, deletion: Deletion, deleted: boolean): Json.Fields => ({
  ...accountJson(root, deletion.account),
  tokens: deletion.tokens,
  settings: deletion.settings,
  removable: deletion.removable,
  deleted,
})

const whatStays = (root: StorageRoot.StorageRoot, { account, removable }: Deletion): ReadonlyArray<string> => {
  const directory = AreaMap.directoryOf(root, account)
  return [
    `Its files stay in ${directory}.`,
    ...(removable
      ? [`Canopy made that directory: \`rm -r ${shellWord(directory)}\` when its files are not needed.`]
      : []),
  ]
}

const confirmed =
  ({ confirm, root }: ConfirmEnv & StorageEnv, isSure: boolean) =>
  (deletion: Deletion): TE.TaskEither<Problem, unknown> =>
    isSure
      ? TE.right(undefined)
      : pipe(
          confirm,
          TE.fromOption(() =>
            wrongUsage(
              'there is no terminal to ask for confirmation: add --yes to delete, or --dry-run to see what would go',
            ),
          ),
          TE.flatMapTask((ask) =>
            ask([
              `This deletes ${titleOf(deletion.account)} ${withWhat(deletion)}; its files stay in ${AreaMap.directoryOf(root, deletion.account)}.`,
              'Delete it?',
            ]),
          ),
          TE.filterOrElse(
            (yes) => yes,
            () => failed('not confirmed')('nothing was deleted'),
          ),
        )

export interface DeleteOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

const dryDelete =
  (id: string) =>
  (env: LookEnv): Outcome =>
    pipe(
      deletionOf(id)(env),
      TE.map((deletion) =>
        report(deletionJson(env.root, deletion, false), [
          `Would delete ${titleOf(deletion.account)} ${withWhat(deletion)}.`,
          ...whatStays(env.root, deletion),
        ]),
      ),
    )

const reallyDelete =
  (id: string, isSure: boolean) =>
  (env: RegistryEnv & StorageEnv & PlaceEnv & ConfirmEnv): Outcome =>
    pipe(
      deletionOf(id)(env),
      TE.tap(confirmed(env, isSure)),
      TE.tap(({ account }) => pipe(env.registry.accounts.delete(account.id), TE.mapLeft(refused))),
      TE.map((deletion) =>
        report(deletionJson(env.root, deletion, true), [
          `Deleted ${titleOf(deletion.account)} ${withWhat(deletion)}.`,
          ...whatStays(env.root, deletion),
        ]),
      ),
    )

export const deleteAccount = (id: string, { yes = false, dryRun = false }: DeleteOptions): Chosen =>
  dryRun ? { look: dryDelete(id) } : reallyDelete(id, yes)
