import { Failure } from '@canopy/domain'
import { Router } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import { askedOf } from './askedOf.js'
import { type LookupLimits, limitLookups } from './defence/limitLookups.js'
import { guardPorts } from './guardPorts.js'
import { identifyRequest } from './identifyRequest.js'
import { logRequest } from './logRequest.js'
import { answerProbes } from './observe/health/answerProbes.js'
import { readiness } from './observe/health/Readiness.js'
import { measurePorts } from './observe/metrics/measurePorts.js'
import type { Observing } from './observe/Observing.js'
import { observers } from './observe/observers.js'
import { tracedPorts } from './observe/tracing/tracedPorts.js'
import { servePages } from './openapi/servePages.js'
import { optionsAnswer } from './optionsAnswer.js'
import type { Ports } from './Ports.js'
import { badRequest, methodNotAllowed, noSuchRoute, type Refusal } from './Refusal.js'
import type { RequestContext, RequestState } from './RequestState.js'
import * as RequestTarget from './RequestTarget.js'
import { refusalAnswer } from './refusalAnswer.js'
import { respond } from './respond.js'
import { type Asked, type Route, type RouteEnv, routes } from './routes.js'

export interface AppEnv extends RouteEnv, LookupLimits, Observing {
  readonly log: Logger
  /** How long one call of a port may take, in milliseconds. */
  readonly portTimeoutMs: number
}

const refuse = (ctx: RequestContext, refusal: Refusal): Promise<void> => {
  ctx.state.refusal = refusal
  return respond(ctx, refusalAnswer(refusal))
}

/** A defect of ours is an answer too: `external`, with its cause in the log. */
const catchDefects: Middleware<RequestState> = async (ctx, next) => {
  try {
    await next()
  } catch (thrown) {
    await refuse(ctx, Failure.external(thrown))
  }
}

/** One Host header; a client of HTTP/1.0 may have none. */
const namesOneHost = ({ req }: RequestContext): boolean => {
  const hosts = req.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')
}

/** What two servers in a row could read in two ways is refused before either does. */
const refuseAmbiguous: Middleware<RequestState> = async (ctx, next) => {
  const target = RequestTarget.parse(ctx.req.url ?? '')
  if (E.isLeft(target) || !namesOneHost(ctx)) return refuse(ctx, badRequest)
  ctx.state.target = target.right
  return next()
}

const answer = async (env: AppEnv, ctx: RequestContext, route: Route, asked: Asked): Promise<void> => {
  ctx.state.route = route
  ctx.state.asked = asked
  switch (ctx.method) {
    case 'GET':
    case 'HEAD':
      return pipe(
        await limitLookups(env, ctx.req, route, route.answer(asked)(tracedPorts(env, ctx.state.aroundPort))),
        E.match(
          (refusal) => refuse(ctx, refusal),
          (answered) => respond(ctx, answered),
        ),
      )
    case 'OPTIONS':
      return respond(ctx, optionsAnswer)
    default:
      return refuse(ctx, methodNotAllowed)
  }
}

const answerRoute =
  (env: AppEnv, route: Route): Middleware<RequestState> =>
  (ctx, next) =>
    pipe(
      O.fromNullable(ctx.state.target),
      O.flatMap((target) => askedOf(route, target)),
      O.match(next, (asked) => answer(env, ctx, route, asked)),
    )

const router = (env: AppEnv): Router<RequestState> =>
  routes.reduce(
    (table, route) => table.all(`${route.prefix}:credential{/*path}`, answerRoute(env, route)),
    new Router<RequestState>({ sensitive: true }),
  )

const watched = ({ metrics }: Observing, ports: Ports): Ports =>
  metrics === undefined ? ports : measurePorts(ports, metrics)

/** The service: ports in, Koa out. Nothing here knows where the ports lead. */
export const app = (env: AppEnv): Koa<RequestState> => {
  const koa = new Koa<RequestState>()
  // What Koa reports here is a stream that ended early; its request's own line says so.
  koa.silent = true
  koa.use(identifyRequest)
  koa.use(logRequest(env.log))
  koa.use(answerProbes(env.readiness ?? readiness({})))
  for (const observer of observers(env)) koa.use(observer)
  koa.use(catchDefects)
  koa.use(refuseAmbiguous)
  koa.use(router({ ...env, ...watched(env, guardPorts(env, env.portTimeoutMs)) }).routes())
  koa.use(servePages)
  koa.use((ctx) => refuse(ctx, noSuchRoute))
  return koa
}
