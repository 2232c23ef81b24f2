import type { TriggerId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'

/** The command that removes a trigger, as a shell takes it. */
export const deletionOf = (id: TriggerId.TriggerId): string =>
  `\`canopy trigger delete ${id.startsWith('-') ? '-- ' : ''}${shellWord(id)}\``
