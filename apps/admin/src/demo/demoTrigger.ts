import type { TriggerRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ClockEnv, PlaceEnv, RandomEnv, RegistryEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { refused } from '../refused.js'
import { newTriggerId } from '../trigger/newTriggerId.js'
import { triggerValue } from '../trigger/triggerValue.js'
import * as When from '../When.js'
import { type Demo, remember } from './demoAccount.js'
import { demoTriggerFields } from './demoTree.js'

type Env = RegistryEnv & ClockEnv & RandomEnv & PlaceEnv

const remembered =
  ({ registry, now }: Env) =>
  ({ memory }: Demo): TE.TaskEither<Problem, O.Option<TriggerRecord>> =>
    pipe(
      registry.triggers.all,
      TE.bimap(refused, RA.rights),
      TE.bindTo('triggers'),
      TE.bind('time', () => TE.fromIO(now)),
      TE.map(({ triggers, time }) =>
        O.fromNullable(triggers.find(({ id, expires }) => id === memory.trigger && !When.isPast(time)(expires))),
      ),
    )

const create =
  (env: Env) =>
  (demo: Demo): TE.TaskEither<Problem, TriggerRecord> =>
    pipe(
      TE.fromEither(triggerValue('demo', demoTriggerFields)),
      TE.bindTo('value'),
      TE.bind('id', () => TE.fromIO(newTriggerId(env))),
      TE.flatMap(({ id, value }) =>
        pipe(env.registry.triggers.create({ id, value, expires: O.none }), TE.mapLeft(refused)),
      ),
      TE.tap(({ id }) => remember(env)({ ...demo, memory: { ...demo.memory, trigger: id } })),
    )

/** The remembered trigger while it is found, else a new one. */
export const demoTrigger =
  (env: Env) =>
  (demo: Demo): TE.TaskEither<Problem, TriggerRecord> =>
    pipe(remembered(env)(demo), TE.flatMap(O.match(() => create(env)(demo), TE.right)))
