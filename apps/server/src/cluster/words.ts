/**
 * What the primary and a worker say to each other. After an upgrade an old primary talks with new workers: words may be
 * added, none may change its meaning.
 */

/** `stop`: the service ends. `retire`: this worker ends, others go on. */
export type Leave = 'stop' | 'retire'

/** The worker answers requests. */
export const listening = 'listening'

export const isLeave = (u: unknown): u is Leave => u === 'stop' || u === 'retire'
