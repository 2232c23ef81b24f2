import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { RegistryEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { storedJson } from './storedJson.js'

export const deleteTrigger =
  (id: string) =>
  ({ registry }: RegistryEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.triggerId(id)),
      TE.flatMap((trigger) => pipe(registry.triggers.delete(trigger), TE.mapLeft(refused))),
      TE.map((trigger) =>
        report(storedJson(trigger), ['Deleted the trigger: peeking it answers `trigger not found`.']),
      ),
    )
