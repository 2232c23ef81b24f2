import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ClockEnv, RegistryEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { expiryOf } from '../token/describeToken.js'
import { triggerJson } from './describeTrigger.js'

export const listTriggers = ({ registry, now }: RegistryEnv & ClockEnv): TE.TaskEither<Problem, Report> =>
  pipe(
    registry.triggers.all,
    TE.mapLeft(refused),
    TE.bindTo('triggers'),
    TE.bind('time', () => TE.fromIO(now)),
    TE.map(({ triggers, time }) =>
      report(
        triggers.map(triggerJson),
        triggers.length === 0
          ? ['There are no triggers: `canopy trigger create --type TYPE` makes one.']
          : columns([
              ['ID', 'EXPIRES', 'VALUE'],
              ...triggers.map(({ id, value, expires }) => [id, expiryOf(expires, time), value.json]),
            ]),
      ),
    ),
  )
