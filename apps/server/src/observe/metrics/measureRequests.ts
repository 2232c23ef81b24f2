import type { Middleware } from 'koa'
import type { RequestState } from '../../RequestState.js'
import type { Metrics } from './Metrics.js'

/** Counts and times every request, until its answer is out or its connection gone. */
export const measureRequests =
  ({ began, limited }: Pick<Metrics, 'began' | 'limited'>): Middleware<RequestState> =>
  (ctx, next) => {
    const ended = began()
    ctx.res.once('close', () => {
      const failure = ctx.state.refusal?.error ?? 'none'
      if (failure === 'too many requests') limited()
      ended({
        operation: ctx.state.route?.operation ?? 'none',
        status: ctx.status,
        failure,
        complete: ctx.res.writableFinished,
      })
    })
    return next()
  }
