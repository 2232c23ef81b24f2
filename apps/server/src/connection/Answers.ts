import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answers of one connection. They are sent in the order in which they were asked for. */
export interface Answers {
  /** The one whose turn came last. */
  current: ServerResponse | undefined
  /** The one that was asked for last. */
  latest: ServerResponse | undefined
  /** How many wait for their turn. */
  waiting: number
  haveWaited: boolean
}

const own = Symbol('answers of a connection')

type Carrier = Socket & { [own]?: Answers }

/** The connection carries them: in a `WeakMap` they would outlive a short connection until the next full collection. */
export const of = (socket: Carrier): Answers => {
  socket[own] ??= { current: undefined, latest: undefined, waiting: 0, haveWaited: false }
  return socket[own]
}

/**
 * Goes on once an answer is sent and has let its connection go, which it does a little later, and at once after none; also
 * when the connection is gone.
 */
export const after = (answer: ServerResponse | undefined, goOn: () => void): void => {
  if (answer === undefined || (answer.writableFinished && answer.socket === null)) goOn()
  // Others want to know as well, and Node takes more than ten for a leak.
  else answer.setMaxListeners(0).once('close', goOn)
}
