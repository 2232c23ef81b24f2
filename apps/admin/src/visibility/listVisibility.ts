import { UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import * as AccountSettings from './AccountSettings.js'
import * as Existence from './Existence.js'
import { type Setting, settingsWithExistence } from './settingsWithExistence.js'

const remarks: Readonly<Record<Existence.Existence, string>> = {
  there: '',
  missing: 'orphan: no node there',
  'behind a file': 'orphan: the path runs through a file',
  unknown: 'storage did not answer',
}

const describe = (user: UserId.UserId, settings: ReadonlyArray<Setting>): Report =>
  report(
    settings.map(({ path, visibility, existence }) => ({
      path,
      visibility,
      inherited: false,
      exists: Existence.toJson(existence),
    })),
    settings.length === 0
      ? [`Nothing is set in account ${UserId.toDecimal(user)}: all of it is private.`]
      : columns([
          ['VISIBILITY', 'PATH', ''],
          ...settings.map(({ path, visibility, existence }) => [visibility, path, remarks[existence]]),
        ]),
  )

export const listVisibility =
  (id: string) =>
  (env: RegistryEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.bindTo('user'),
      TE.bind('known', ({ user }) => AccountSettings.of(user)(env)),
      TE.bind('settings', ({ known }) => TE.fromTask(settingsWithExistence(env.storage)(known))),
      TE.map(({ user, settings }) => describe(user, settings)),
    )
