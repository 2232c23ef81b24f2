import { TriggerId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import type { BrokenTrigger } from '@canopy/registry/admin'
import { deletionOf } from './deletionOf.js'

const mending = (id: string): string =>
  TriggerId.is(id)
    ? `${deletionOf(id)}, then make it again`
    : 'it is no id that can be asked for: remove its row from the table triggers'

/** What is wrong with a trigger, and what to do. */
export const brokenMessage = ({ id, cause }: BrokenTrigger): string =>
  `${causeOf(cause)}: peeking it answers \`external\`: ${mending(id)}`
