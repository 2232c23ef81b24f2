import { NodeVisibility } from '@canopy/domain'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { lostName, lostNameJson } from '../lostName.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import * as AccountSettings from './AccountSettings.js'
import * as Existence from './Existence.js'

export const setVisibility =
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
      TE.bind('account', ({ user }) => pipe(registry.accounts.find(user), TE.mapLeft(refused))),
      TE.bind('existence', ({ account, path }) =>
        TE.fromTask(Existence.of(storage)(AccountSettings.areaOf({ account }), path)),
      ),
      TE.map(({ path, visibility, existence }) =>
        report(
          { path, ...NodeVisibility.own(visibility), exists: Existence.toJson(existence), ...lostNameJson(path) },
          [`Set ${path} to ${visibility}.`, ...lostName(path), ...Existence.note('the setting')(existence)],
        ),
      ),
    )
