import { TriggerId } from '@canopy/domain'
import { causeOf, shellWord } from '@canopy/installation'
import type { BrokenTrigger, StoredTrigger, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Json from '../Json.js'
import * as When from '../When.js'

export const triggerJson = ({ id, value, expires }: TriggerRecord): Json.Json => ({
  id,
  value: Json.raw(value.json),
  expires: pipe(expires, O.map(When.toIso), O.toNullable),
})

/** The command that removes it, as a shell takes it. */
export const deletionOf = (id: TriggerId.TriggerId): string =>
  `\`canopy trigger delete ${id.startsWith('-') ? '-- ' : ''}${shellWord(id)}\``

const mending = (id: string): string =>
  TriggerId.is(id)
    ? `${deletionOf(id)}, then make it again`
    : 'it is no id that can be asked for: remove its row from the table triggers'

/** What is wrong with it, and what to do. */
export const brokenMessage = ({ id, cause }: BrokenTrigger): string =>
  `${causeOf(cause)}: peeking it answers \`external\`: ${mending(id)}`

export const storedJson: (trigger: StoredTrigger) => Json.Json = E.match(
  (broken): Json.Json => ({ id: broken.id, value: null, expires: null, broken: brokenMessage(broken) }),
  triggerJson,
)
