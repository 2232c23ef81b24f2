import { Name, type NodeAtEnv, type StoragePath, UserId, type Visibility } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import * as AccountSettings from './AccountSettings.js'
import * as Existence from './Existence.js'

export interface Setting {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
  readonly existence: Existence.Existence
}

/** Every setting with whether its node exists, in byte order of the paths. */
export const settingsWithExistence =
  (storage: NodeAtEnv) =>
  (known: AccountSettings.AccountSettings): T.Task<ReadonlyArray<Setting>> =>
    pipe(
      [...known.settings],
      RA.sort(
        Ord.contramap(([path]: readonly [StoragePath.StoragePath, Visibility.Visibility]) => path as string)(
          Name.byBytes,
        ),
      ),
      T.traverseSeqArray(([path, visibility]) =>
        pipe(
          Existence.of(storage)(AccountSettings.areaOf(known), path),
          T.map((existence): Setting => ({ path, visibility, existence })),
        ),
      ),
    )

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
