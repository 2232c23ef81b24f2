import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusalAnswer } from '../answer/refusalAnswer.js'
import { overloaded } from '../Refusal.js'
import { headProblem } from '../request/headProblem.js'
import { requestIdOf } from '../request/identifyRequest.js'
import { headsOf } from '../send/heads.js'

/** Resolves when the answer is made, or its stream begins; it may still be on its way to a slow reader. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface Shedding {
  /**
   * Requests that may be worked on or wait for their turn, until their answers stand: also those whose clients have left,
   * since what was begun goes on. A tree that is streamed counts until it begins: it mostly waits for its reader, who must
   * not keep others out. How many of those there are, unreadBytes bounds.
   */
  readonly maxInFlight: number
  /** How late the event loop may be, in milliseconds. */
  readonly maxDelayMs: number
  /** Never refused, and not counted: who asks how the server is must not take the place of a request. */
  readonly exempt: (request: IncomingMessage) => boolean
  readonly onShed: () => void
  /** Told whenever it changes how many there are. */
  readonly onInFlight: (inFlight: number) => void
}

const refusal = refusalAnswer(overloaded)
const head = headsOf(refusal).plain

/** Before any work: an overloaded server that says so at once stays fast for those it serves. */
const refuse = (request: IncomingMessage, response: ServerResponse): void => {
  // Where an ambiguous one ends is not sure, and so neither where the next one begins.
  if (headProblem(request) !== undefined) response.shouldKeepAlive = false
  response
    .writeHead(refusal.status, [...head, 'X-Request-Id', requestIdOf(request)])
    .end(request.method === 'HEAD' ? undefined : refusal.body.bytes)
}

const tickMs = 20

/** With fewer at work, a late loop is not ours to mend: the machine was busy elsewhere, and refusing would not help. */
const fewInFlight = 8

/** How late the last tick of a timer came, in milliseconds. */
const eventLoopDelay = (): (() => number) => {
  let due = performance.now() + tickMs
  let late = 0
  setInterval(() => {
    const now = performance.now()
    late = Math.max(0, now - due)
    due = now + tickMs
  }, tickMs).unref()
  return () => late
}

/** Refuses with 503 what comes beyond the bounds. */
export const shed = (
  handler: Handler,
  { maxInFlight, maxDelayMs, exempt, onShed, onInFlight }: Shedding,
): RequestListener => {
  const delay = eventLoopDelay()
  let inFlight = 0
  const count = (change: 1 | -1): void => {
    inFlight += change
    onInFlight(inFlight)
  }
  const made = (): void => count(-1)
  // A handler does not reject: what went wrong is an answer.
  return (request, response) => {
    if (exempt(request)) return void handler(request, response)
    const isLate = inFlight >= fewInFlight && delay() > maxDelayMs
    if (inFlight >= maxInFlight || isLate) {
      onShed()
      return refuse(request, response)
    }
    count(1)
    void handler(request, response).then(made)
  }
}
