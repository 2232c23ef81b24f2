import type { Exchange } from '../../Exchange.js'
import { endOf } from '../../endOf.js'
import type { Tracing } from './Tracing.js'

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
