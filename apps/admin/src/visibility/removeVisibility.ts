import { Settings } from '@canopy/domain'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv } from '../CommandEnv.js'
import { lostName, lostNameJson } from '../lostName.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'

export const removeVisibility =
  (id: string, pathText: string) =>
  ({ registry }: RegistryEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      sequenceS(E.Apply)({ user: Argument.userId(id), path: Argument.path(pathText) }),
      TE.fromEither,
      TE.tap(({ user, path }) => pipe(registry.settings.remove(user, path), TE.mapLeft(refused))),
      TE.bind('settings', ({ user }) => pipe(registry.settings.of(user), TE.mapLeft(refused))),
      TE.map(({ path, settings }) => {
        const now = Settings.visibilityAt(settings, path)
        return report({ path, visibility: now.visibility, inherited: now.inherited, ...lostNameJson(path) }, [
          `Nothing is set on ${path} any more: it is ${now.visibility} now${now.inherited ? ', inherited' : ''}.`,
          ...lostName(path),
        ])
      }),
    )
