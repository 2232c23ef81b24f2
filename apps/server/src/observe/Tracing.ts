import type { IncomingMessage } from 'node:http'
import type { Around } from '../ports.js'
import type { Ended } from './Metrics.js'

interface RequestSpan {
  /** `undefined` when the caller, or the sampler, wants no record of this trace. */
  readonly recorded: Recorded | undefined
  readonly end: (end: Ended) => void
}

export interface Recorded {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Makes a call of a port a child of the request's span. */
  readonly aroundPort: Around
}

export interface Tracing {
  /** Makes a request a span, in the trace of its `traceparent` if it has one. */
  readonly begin: (request: IncomingMessage) => RequestSpan
  /** Sends what is not sent yet, and gives up when that takes longer than two seconds. */
  readonly stop: () => Promise<void>
}
