import { inspect } from 'node:util'
import { type Failure, UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { RequestContext, RequestState } from './RequestState.js'
import { redactPath } from './redactPath.js'

/** Built from the parts, never from the target, so that a secret in an unexpected place cannot pass. */
const shownTarget = ({ route, asked }: RequestState): string =>
  route === undefined || asked === undefined
    ? '(no operation)'
    : route.prefix +
      pipe(
        route.secret,
        O.getOrElse(() => (O.isSome(UserId.fromRawSegment(asked.credential)) ? asked.credential : '[not a user id]')),
      ) +
      redactPath(asked.path)

const line = (ctx: RequestContext, started: bigint) => ({
  id: ctx.state.requestId,
  trace: ctx.state.traceId,
  method: ctx.method,
  target: shownTarget(ctx.state),
  operation: ctx.state.route?.operation,
  status: ctx.status,
  error: ctx.state.refusal?.error,
  ms: Number(process.hrtime.bigint() - started) / 1e6,
})

/** One line for each request, when its response is complete or its connection is gone. */
export const logRequest =
  (log: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    const started = process.hrtime.bigint()
    ctx.res.once('close', () => {
      const { refusal } = ctx.state
      const fields = { ...line(ctx, started), ...(ctx.res.writableFinished ? {} : { aborted: true }) }
      if (refusal?.error === 'external') log.error({ ...fields, cause: causeOf(refusal) }, 'request')
      else log[ctx.state.isProbe === true ? 'debug' : 'info'](fields, 'request')
    })
    await next()
  }

const causeOf = ({ cause }: Failure.External): unknown =>
  cause instanceof Error
    ? { message: cause.message, ...('code' in cause ? { code: cause.code } : {}) }
    : typeof cause === 'string'
      ? cause
      : inspect(cause, { depth: 0 })
