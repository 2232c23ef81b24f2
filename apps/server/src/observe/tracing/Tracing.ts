import type { Around } from '../../ports/aroundPorts.js'
import type { RefusalName } from '../../Refusal.js'
import type { Route } from '../../Route.js'

/** How a request ended, as its span tells it. Values of closed sets only: whatever a client chooses stays out. */
export interface SpanEnd {
  /** `none` for what is no operation. */
  readonly operation: Route['operation'] | 'none'
  readonly status: number
  readonly failure: RefusalName | 'none'
}

export interface RequestSpan {
  /** `undefined` when the caller, or the sampler, wants no record of this trace. */
  readonly recorded: Recorded | undefined
  readonly end: (end: SpanEnd) => void
}

export interface Recorded {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Makes a call of a port a child of the request's span. */
  readonly aroundPort: Around
}

export interface Tracing {
  /** Continues the trace of a `traceparent`, when that is one. */
  readonly begin: (method: string, traceparent: string) => RequestSpan
  /** Sends what is not sent yet, and gives up when that takes longer than two seconds. */
  readonly stop: () => Promise<void>
}
