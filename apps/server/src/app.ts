import { Failure, type Tree } from '@canopy/domain'
import { Router } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import Koa from 'koa'
import { type AppContext, type AppMiddleware, type AppState, refuse, respond } from './AppState.js'
import { type Answer, hasBytes } from './answer/Answer.js'
import { byMethod } from './byMethod.js'
import { type LookupLimits, limitLookups } from './defence/limitLookups.js'
import { carriedBy, type Exchange } from './Exchange.js'
import type { KeptAnswers } from './keptAnswers/keepAnswers.js'
import { recordLookups } from './keptAnswers/recordLookups.js'
import { answerProbes, type Readiness } from './observe/health.js'
import { servePages } from './openapi/pages.js'
import { aroundPorts } from './ports/aroundPorts.js'
import { noSuchRoute } from './Refusal.js'
import type { Asked, Route, RouteEnv } from './Route.js'
import { askedOf } from './request/askedOf.js'
import { headProblem } from './request/headProblem.js'
import * as RequestTarget from './request/RequestTarget.js'
import { routes } from './routes.js'

interface AppEnv extends RouteEnv, LookupLimits {
  readonly readiness: Readiness
  readonly keptAnswers: KeptAnswers
  /** The web page, if it is served. */
  readonly explorer?: AppMiddleware | undefined
}

const enter: AppMiddleware = (ctx, next) => {
  ctx.respond = false
  ctx.state.exchange = carriedBy(ctx.req)
  return next()
}

/** A defect of ours is an answer too: `external`, with its cause in the log. */
const catchDefects: AppMiddleware = async (ctx, next) => {
  try {
    await next()
  } catch (thrown) {
    await refuse(ctx, Failure.external(thrown))
  }
}

/** What two servers in a row could read in two ways is refused before either does. */
const refuseAmbiguous: AppMiddleware = async (ctx, next) => {
  const problem = headProblem(ctx.req)
  if (problem !== undefined) {
    // Where it ends is not sure, and so neither where the next one begins (RFC 9112, 6.3).
    ctx.res.setHeader('Connection', 'close')
    return refuse(ctx, problem)
  }
  const target = RequestTarget.parse(ctx.req.url ?? '')
  if (E.isLeft(target)) return refuse(ctx, target.left)
  ctx.state.exchange.state.target = target.right
  return next()
}

const answerAnew = async (env: AppEnv, { request, state }: Exchange, route: Route, asked: Asked) => {
  const sawUnreadable = (directory: Tree.Unreadable): void => {
    env.metrics?.sawUnreadable()
    state.unreadable ??= { directories: 0, first: directory }
    state.unreadable.directories += 1
  }
  const recorded = recordLookups(env)
  const ports = state.aroundPort === undefined ? recorded.ports : aroundPorts(recorded.ports, state.aroundPort)
  const answered = await limitLookups(env, request, route, route.answer(asked)({ ...env, ...ports, sawUnreadable }))
  if (E.isRight(answered) && hasBytes(answered.right)) {
    env.metrics?.wroteNodes(answered.right.body.nodes)
    if (state.unreadable === undefined)
      env.keptAnswers.keep(request.url ?? '', { route, asked, answer: answered.right }, recorded.lookups)
  }
  return answered
}

const answer = (env: AppEnv, ctx: AppContext, route: Route, asked: Asked): Promise<void> => {
  const { exchange } = ctx.state
  exchange.state.route = route
  exchange.state.asked = asked
  return byMethod(ctx, async () =>
    pipe(
      await answerAnew(env, exchange, route, asked),
      E.match(
        (refusal) => refuse(ctx, refusal),
        (answered: Answer) => respond(ctx, answered),
      ),
    ),
  )
}

const answerRoute =
  (env: AppEnv, route: Route): AppMiddleware =>
  (ctx, next) =>
    pipe(
      O.fromNullable(ctx.state.exchange.state.target),
      O.flatMap((target) => askedOf(route, target)),
      O.match(next, (asked) => answer(env, ctx, route, asked)),
    )

const router = (env: AppEnv): Router<AppState> =>
  routes.reduce(
    (table, route) => table.all(`${route.prefix}:credential{/*path}`, answerRoute(env, route)),
    new Router<AppState>({ sensitive: true }),
  )

/** Finds who answers. Nothing here knows where the ports lead. */
export const app = (env: AppEnv): Koa<AppState> => {
  const koa = new Koa<AppState>()
  // What Koa reports here is a stream that ended early; its request's own line says so.
  koa.silent = true
  koa.use(enter)
  koa.use(catchDefects)
  koa.use(refuseAmbiguous)
  koa.use(answerProbes(env.readiness))
  koa.use(router(env).routes())
  koa.use(servePages)
  if (env.explorer !== undefined) koa.use(env.explorer)
  koa.use((ctx) => refuse(ctx, noSuchRoute))
  return koa
}
