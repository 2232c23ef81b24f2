import type { TriggerRecord } from '@canopy/registry/admin'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { ClockEnv, PlaceEnv, RandomEnv, RegistryEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { peekUrl } from '../urls.js'
import * as When from '../When.js'
import { newTriggerId } from './newTriggerId.js'
import { triggerJson } from './triggerJson.js'
import { triggerValue } from './triggerValue.js'

export interface CreateTriggerOptions {
  readonly type: string
  readonly id?: string
  /** A JSON object. */
  readonly value: string
  readonly expires?: string
}

const wanted =
  ({ type, id, value, expires }: CreateTriggerOptions) =>
  ({ now, random }: ClockEnv & RandomEnv): TE.TaskEither<Problem, TriggerRecord> =>
    pipe(
      TE.fromIO(now),
      TE.bindTo('time'),
      TE.bind('free', () => TE.fromIO(newTriggerId({ random }))),
      TE.flatMapEither(({ time, free }) =>
        sequenceS(E.Apply)({
          id: pipe(id, Argument.optional(Argument.triggerId), E.map(O.getOrElse(() => free))),
          value: pipe(
            Argument.notEmpty('--type')(type),
            E.flatMap((given) => triggerValue(given, value)),
          ),
          expires: Argument.optional(When.parse(time))(expires),
        }),
      ),
    )

export const createTrigger =
  (options: CreateTriggerOptions) =>
  (env: RegistryEnv & ClockEnv & RandomEnv & PlaceEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      wanted(options)(env),
      TE.flatMap((trigger) => pipe(env.registry.triggers.create(trigger), TE.mapLeft(refused))),
      TE.bindTo('trigger'),
      TE.bind('time', () => TE.fromIO(env.now)),
      TE.map(({ trigger, time }) =>
        report(triggerJson(trigger), [
          trigger.id,
          '',
          'Whoever knows this id can peek the trigger.',
          `Type ${trigger.value.type}; expires ${When.expiryOf(trigger.expires, time)}.`,
          peekUrl(env.baseUrl, trigger.id),
        ]),
      ),
    )
