import type { U64 } from '@canopy/domain'
import type { BrokenTrigger, StoredTrigger, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { brokenMessage } from '../trigger/brokenMessage.js'
import { deletionOf } from '../trigger/deletionOf.js'
import * as When from '../When.js'
import type { Finding } from './Finding.js'

const broken = (trigger: BrokenTrigger): ReadonlyArray<Finding> => [
  { kind: 'broken trigger', trigger: trigger.id, message: brokenMessage(trigger) },
]

const expired =
  (now: U64.U64) =>
  ({ id, expires }: TriggerRecord): ReadonlyArray<Finding> =>
    When.isPast(now)(expires)
      ? [{ kind: 'expired trigger', trigger: id, message: `nobody finds it any more: ${deletionOf(id)} forgets it` }]
      : []

export const triggerFindings = (triggers: ReadonlyArray<StoredTrigger>, now: U64.U64): ReadonlyArray<Finding> =>
  triggers.flatMap((trigger) => pipe(trigger, E.match(broken, expired(now))))
