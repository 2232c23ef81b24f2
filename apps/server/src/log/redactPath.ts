import { decoded } from './decoded.js'
import { holdsTriggerId } from './holdsTriggerId.js'

const token = /cnp_/i

const shown = (segment: string): string => {
  const text = decoded(segment)
  if (text === undefined) return '[escapes]'
  return token.test(text) ? '[token]' : holdsTriggerId(text) ? '[trigger id]' : segment
}

/**
 * A path as a log may show it, or a message with a path in it: a segment that looks like a secret, in any spelling, is
 * replaced. Segments that stand where a secret belongs are not passed to this function at all.
 */
export const redactPath = (path: string): string => path.split('/').map(shown).join('/')
