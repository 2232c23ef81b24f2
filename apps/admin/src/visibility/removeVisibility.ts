import { Settings, UserId } from '@canopy/domain'
import type { Refusal } from '@canopy/registry/admin'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv } from '../CommandEnv.js'
import { lostName, lostNameJson } from '../lostName.js'
import { failed, type Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'

const notRemoved =
  (user: UserId.UserId) =>
  (refusal: Refusal): Problem =>
    refusal.error === 'no such setting'
      ? failed(refusal.error)(
          `nothing is set on ${refusal.path}: \`canopy visibility list ${UserId.toDecimal(user)}\` shows what is set`,
        )
      : refused(refusal)

export const removeVisibility =
  (id: string, pathText: string) =>
  ({ registry }: RegistryEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      sequenceS(E.Apply)({ user: Argument.userId(id), path: Argument.path(pathText) }),
      TE.fromEither,
      TE.tap(({ user, path }) => pipe(registry.settings.remove(user, path), TE.mapLeft(notRemoved(user)))),
      TE.bind('settings', ({ user }) => pipe(registry.settings.of(user), TE.mapLeft(refused))),
      TE.map(({ path, settings }) => {
        const now = Settings.visibilityAt(settings, path)
        return report({ path, visibility: now.visibility, inherited: now.inherited, ...lostNameJson(path) }, [
          `Nothing is set on ${path} any more: it is ${now.visibility} now${now.inherited ? ', inherited' : ''}.`,
          ...lostName(path),
        ])
      }),
    )
