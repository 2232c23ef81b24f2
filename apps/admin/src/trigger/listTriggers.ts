import type { U64 } from '@canopy/domain'
import type { StoredTrigger, TriggerRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ClockEnv, RegistryLookEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import type { Report } from '../Report.js'
import { refused } from '../refused.js'
import * as When from '../When.js'
import { brokenMessage } from './brokenMessage.js'
import { storedJson } from './storedJson.js'

const table = (triggers: ReadonlyArray<TriggerRecord>, time: U64.U64): ReadonlyArray<string> =>
  triggers.length === 0
    ? []
    : columns([
        ['ID', 'EXPIRES', 'VALUE'],
        ...triggers.map(({ id, value, expires }) => [id, When.expiryOf(expires, time), value.json]),
      ])

const describe = (all: ReadonlyArray<StoredTrigger>, time: U64.U64): Report => {
  const { left: broken, right: sound } = RA.separate(all)
  const lines = [
    ...table(sound, time),
    ...broken.map((trigger) => `trigger ${trigger.id} is broken: ${brokenMessage(trigger)}`),
  ]
  return {
    json: all.map(storedJson),
    lines: lines.length === 0 ? ['There are no triggers: `canopy trigger create --type TYPE` makes one.'] : lines,
    exit: broken.length === 0 ? 0 : 1,
  }
}

/** Those that are broken, too: exit code 1, and what to do about them. */
export const listTriggers = ({ registry, now }: RegistryLookEnv & ClockEnv): TE.TaskEither<Problem, Report> =>
  pipe(
    registry.triggers.all,
    TE.mapLeft(refused),
    TE.bindTo('triggers'),
    TE.bind('time', () => TE.fromIO(now)),
    TE.map(({ triggers, time }) => describe(triggers, time)),
  )
