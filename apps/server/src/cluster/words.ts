import * as t from 'io-ts'

/**
 * What the primary and a worker say to each other. After an upgrade an old primary talks with new workers: words may be
 * added, none may change its meaning.
 */

/** `stop`: the service ends. `retire`: this worker ends, others go on. */
export type Leave = 'stop' | 'retire'

/** The worker answers requests. */
export const listening = 'listening'

export const isLeave = (u: unknown): u is Leave => u === 'stop' || u === 'retire'

/** A client looked up a token or trigger in vain. The primary passes it on to all other workers. */
export interface FailedLookup {
  readonly failedLookup: string
}

export const isFailedLookup = t.type({ failedLookup: t.string }).is
