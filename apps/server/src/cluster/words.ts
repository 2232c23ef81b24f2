import * as t from 'io-ts'

/**
 * What the primary and a worker say to each other. After an upgrade an old primary talks with new workers: words may be
 * added, none may change its meaning.
 */

/** `stop`: the service ends. `retire`: this worker ends, others go on. */
export type Leave = 'stop' | 'retire'

export const isLeave = (u: unknown): u is Leave => u === 'stop' || u === 'retire'

/** Of a worker: it can be given connections from now on. */
export const ready = 'ready'

/** Of the primary, with a connection. */
export const connection = 'connection'

/** Of a worker: it has the connection that it was given last, and can be given another. */
export const taken = 'taken'

/** Of the primary: so many connections the worker was given so far. */
export interface Given {
  readonly given: number
}

export const isGiven = t.type({ given: t.number }).is

/** Of a worker: not all of them have come, since it may not open one more, say. It can be given another. */
export const missed = 'missed'

/** Of a worker: it wants no more connections. */
export const enough = 'enough'

/** Of the primary, to whom has enough: all connections that it was given have come. */
export const last = 'last'

/** A client looked up a token or trigger in vain. The primary passes it on to all other workers. */
export interface FailedLookup {
  readonly failedLookup: string
}

export const isFailedLookup = t.type({ failedLookup: t.string }).is

export type WordOfWorker = typeof ready | typeof taken | typeof missed | typeof enough | FailedLookup
