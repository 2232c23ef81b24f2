import type { Ended } from '../Ended.js'
import type { Exchange } from '../Exchange.js'
import { endOf } from '../endOf.js'
import type { Around } from '../ports/aroundPorts.js'

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
  /** Continues the trace of a `traceparent`, when that is one. */
  readonly begin: (method: string, traceparent: string) => RequestSpan
  /** Sends what is not sent yet, and gives up when that takes longer than two seconds. */
  readonly stop: () => Promise<void>
}

/** Makes a request a span, from its head to the end of its answer. */
export const traceRequests =
  ({ begin }: Tracing) =>
  (exchange: Exchange): void => {
    const { request, response, state } = exchange
    const { traceparent } = request.headers
    const span = begin(request.method ?? '', typeof traceparent === 'string' ? traceparent : '')
    if (span.recorded !== undefined) {
      state.traceId = span.recorded.traceId
      state.aroundPort = span.recorded.aroundPort
    }
    response.once('close', () => span.end(endOf(exchange)))
  }
