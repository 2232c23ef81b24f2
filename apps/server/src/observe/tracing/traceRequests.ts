import type { Middleware } from 'koa'
import type { RequestState } from '../../RequestState.js'
import type { Tracing } from './Tracing.js'

/** Each request a span, from its head to the end of its answer. */
export const traceRequests =
  ({ begin }: Tracing): Middleware<RequestState> =>
  (ctx, next) => {
    const { traceparent } = ctx.req.headers
    const span = begin(ctx.method, typeof traceparent === 'string' ? traceparent : '')
    if (span.recorded !== undefined) {
      ctx.state.traceId = span.recorded.traceId
      ctx.state.aroundPort = span.recorded.aroundPort
    }
    ctx.res.once('close', () =>
      span.end({
        operation: ctx.state.route?.operation ?? 'none',
        status: ctx.status,
        failure: ctx.state.refusal?.error ?? 'none',
      }),
    )
    return next()
  }
