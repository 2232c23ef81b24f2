import { NodeVisibility, Settings, type StoragePath, UserId } from '@canopy/domain'
import type { Refusal } from '@canopy/registry/admin'
import type { Command as Parser } from 'commander'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccountSettings from './AccountSettings.js'
import * as Argument from './Argument.js'
import type { Choose, RegistryEnv, RegistryLookEnv, StorageEnv } from './CommandEnv.js'
import { columns } from './columns.js'
import * as Existence from './Existence.js'
import { explainPath } from './explainPath.js'
import { didYouMean, existenceAndLookAlike, lookAlikeJson } from './lookAlike.js'
import { lostName, lostNameJson } from './lostName.js'
import { failed, type Problem } from './Problem.js'
import { type Report, report } from './Report.js'
import { readsArea } from './readsArea.js'
import { refused } from './refused.js'
import { type Opened, openedJson, openedLines, secretsOpened } from './secretNames.js'

const remarks: Readonly<Record<Existence.Existence, string>> = {
  there: '',
  missing: 'orphan: no node there',
  'behind a file': 'orphan: the path runs through a file',
  unknown: 'storage did not answer',
}

const settingsReport = (user: UserId.UserId, settings: ReadonlyArray<AccountSettings.Setting>): Report =>
  report(
    settings.map(({ path, visibility, existence, lookAlike }) => ({
      path,
      visibility,
      inherited: false,
      exists: Existence.toJson(existence),
      ...lookAlikeJson(lookAlike),
    })),
    settings.length === 0
      ? [`Nothing is set in account ${UserId.toDecimal(user)}: all of it is private.`]
      : columns([
          ['VISIBILITY', 'PATH', ''],
          ...settings.map(({ path, visibility, existence, lookAlike }) => [
            visibility,
            path,
            [remarks[existence], ...didYouMean(path, lookAlike)].join('; '),
          ]),
        ]),
  )

const list =
  (id: string) =>
  (env: RegistryLookEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.bindTo('user'),
      TE.bind('known', ({ user }) => AccountSettings.of(user)(env)),
      TE.bind('settings', ({ known }) => TE.fromTask(AccountSettings.withExistence(env.storage)(known))),
      TE.map(({ user, settings }) => settingsReport(user, settings)),
    )

/** Secrets that visitors see or reach since a setting was changed. */
const openedBy =
  (storage: StorageEnv['storage']) =>
  (known: AccountSettings.AccountSettings, path: StoragePath.StoragePath): TE.TaskEither<Problem, Opened> =>
    TE.fromTask(secretsOpened(storage)(AccountSettings.areaOf(known), known.settings, path))

const set =
  (id: string, pathText: string, visibilityText: string) =>
  ({ registry, storage }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      sequenceS(E.Apply)({
        user: Argument.userId(id),
        path: Argument.path(pathText),
        visibility: Argument.visibility(visibilityText),
      }),
      TE.fromEither,
      TE.tap(({ user, path, visibility }) => pipe(registry.settings.set(user, path, visibility), TE.mapLeft(refused))),
      TE.bind('known', ({ user }) => AccountSettings.of(user)({ registry })),
      TE.bind('found', ({ known, path }) =>
        TE.fromTask(existenceAndLookAlike(storage)(AccountSettings.areaOf(known), path)),
      ),
      TE.bind('opened', ({ known, path }) => openedBy(storage)(known, path)),
      TE.map(({ user, path, visibility, found: { existence, lookAlike }, opened }) =>
        report(
          {
            path,
            ...NodeVisibility.own(visibility),
            exists: Existence.toJson(existence),
            ...lookAlikeJson(lookAlike),
            ...openedJson(opened),
            ...lostNameJson(path),
          },
          [
            `Set ${path} to ${visibility}.`,
            ...lostName(path),
            ...Existence.note('the setting')(existence),
            ...didYouMean(path, lookAlike),
            ...openedLines(user, opened),
          ],
        ),
      ),
    )

const notRemoved =
  (user: UserId.UserId) =>
  (refusal: Refusal): Problem =>
    refusal.error === 'no such setting'
      ? failed(refusal.error)(
          `nothing is set on ${refusal.path}: \`canopy visibility list ${UserId.toDecimal(user)}\` shows what is set`,
        )
      : refused(refusal)

const remove =
  (id: string, pathText: string) =>
  ({ registry, storage }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      sequenceS(E.Apply)({ user: Argument.userId(id), path: Argument.path(pathText) }),
      TE.fromEither,
      TE.tap(({ user, path }) => pipe(registry.settings.remove(user, path), TE.mapLeft(notRemoved(user)))),
      TE.bind('known', ({ user }) => AccountSettings.of(user)({ registry })),
      TE.bind('opened', ({ known, path }) => openedBy(storage)(known, path)),
      TE.map(({ user, path, known: { settings }, opened }) => {
        const { visibility, inherited } = Settings.visibilityAt(settings, path)
        return report({ path, visibility, inherited, ...openedJson(opened), ...lostNameJson(path) }, [
          `Nothing is set on ${path} any more: it is ${visibility} now${inherited ? ', inherited' : ''}.`,
          ...lostName(path),
          ...openedLines(user, opened),
        ])
      }),
    )

const pathHelp = 'plain text from the root of the area, such as /photos/2026; / is the root'

export const visibilityCommands = (canopy: Parser, choose: Choose): void => {
  const visibility = canopy.command('visibility').description('visibility: who may see what')

  visibility
    .command('set')
    .description('set the visibility of a path, and of all below it that has no setting of its own')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .argument('<VISIBILITY>', 'public, hidden or private')
    .action((id: string, path: string, value: string) => choose(readsArea(set(id, path, value))))

  visibility
    .command('remove')
    .description('remove the setting of a path, which then inherits')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) => choose(remove(id, path)))

  visibility
    .command('list')
    .description('show every setting of an account, and which have no node')
    .argument('<ID>', 'the account')
    .action((id: string) => choose({ look: readsArea(list(id)) }))

  visibility
    .command('explain')
    .description('why a path has its visibility, and who can see it')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) => choose({ look: readsArea(explainPath(id, path)) }))
}
