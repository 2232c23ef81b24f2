import type { IncomingMessage } from 'node:http'
import { Failure } from '@canopy/domain'
import { HttpError, Route } from '@canopy/http'
import { Router } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import Koa, { type DefaultState, type Middleware, type ParameterizedContext } from 'koa'
import { fileHandlers } from './files/fileHandlers.js'
import { type HttpResponse, hasBytes, optionsResponse } from './http/HttpResponse.js'
import type { RequestContext } from './http/RequestContext.js'
import type { Sender } from './http/send.js'
import type { LimitLookups } from './limits/failedLookups.js'
import type { Metrics } from './observe/prometheus.js'
import { operationHandlers } from './operationHandlers.js'
import { type PortCallEnv, portsOfRequest } from './portCall.js'
import { Recording } from './Recording.js'
import type { ResponseCache } from './responseCache.js'
import { type Deadline, withTimeout } from './timeout.js'

/** Static responses for some paths below the base path, such as the OpenAPI document and the web page. */
export type Pages = (path: string) => HttpResponse | undefined

export interface AppOptions {
  /** Prefix of every path; empty, or `/` and names. */
  readonly basePath: string
  readonly limitLookups: LimitLookups
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly pages: ReadonlyArray<Pages>
  /** Limits of the file routes. Absent without these routes. */
  readonly files?: { readonly maxDownloads: number } | undefined
  /** How long a request may take until the first byte of its response, in milliseconds. */
  readonly firstByteMs: number
}

export interface AppEnv extends AppOptions, PortCallEnv {
  /** How long a whole response may take, in milliseconds. */
  readonly answerMs: number
  readonly metrics?: Metrics | undefined
  readonly responseCache: ResponseCache
  readonly sender: Sender
}

/** Koa's context, with that of the request. */
interface WithContext {
  context: RequestContext
}

/** Carries the context through Koa, which passes the request on. */
type Carrier = IncomingMessage & { canopy?: RequestContext }

type AppMiddleware = Middleware<DefaultState, WithContext>
type AppContext = ParameterizedContext<DefaultState, WithContext>

/** Creates the Koa app, which finds the route. The sender writes the responses, not Koa. */
export const app = (env: AppEnv): ((context: RequestContext) => Promise<void>) => {
  const koa = new Koa<DefaultState, WithContext>()
  // Koa would report streams that ended early, which the log line of their request does.
  koa.silent = true
  koa.use(setUp(env))
  koa.use(router(env).routes())
  koa.use(servePages(env))
  koa.use(({ context }) => env.sender.sendError(context, HttpError.noSuchRoute))
  const callback = koa.callback()
  return (context) =>
    callback(Object.assign(context.request, { canopy: context } satisfies Partial<Carrier>), context.response)
}

const setUp =
  ({ sender }: AppEnv): AppMiddleware =>
  async (ctx, next) => {
    ctx.respond = false
    const { canopy: context }: Carrier = ctx.req
    if (context === undefined) return
    ctx.context = context
    try {
      await next()
    } catch (thrown) {
      // A bug gets a response too, and the log has its cause.
      await sender.sendError(context, Failure.external(thrown))
    }
  }

/** Routes the operations, and files if they are on and the storage can open them. */
const router = (env: AppEnv): Router<DefaultState, WithContext> => {
  const { basePath, files, ports, sender } = env
  const fileRoutes = files !== undefined && ports.openFile !== undefined ? Object.values(Route.fileRoutes) : []
  const runOperation = operationRunner(env)
  const koaRouter = new Router<DefaultState, WithContext>({ sensitive: true })
  // The pattern only selects the route. `Route.params` reads the raw target, because Koa's router decodes its parameters.
  for (const route of [...Object.values(Route.routes), ...fileRoutes])
    koaRouter.all(`${basePath}${route.prefix}:credential{/*path}`, (ctx, next) => {
      const { context } = ctx
      const params = E.isRight(context.target) ? Route.params(route, context.target.right) : O.none
      if (O.isNone(params)) return next()
      const match = { route, params: params.value }
      context.match = match
      return byMethod(ctx, sender, async () => {
        const result = await runOperation(context, match)
        return E.isLeft(result)
          ? sender.sendError(context, result.left)
          : sender.sendNew(context, withAge(context, result.right))
      })
    })
  return koaRouter
}

const handlers = { ...operationHandlers, ...fileHandlers }

/** Runs the operation of a request within its time, with its ports, and caches the response. */
const operationRunner = (env: AppEnv) => {
  const { answerMs, firstByteMs, limitLookups, readingSlots, responseCache, metrics, treeNodes } = env
  const portsOf = portsOfRequest(env)

  const cache = (context: RequestContext, match: Route.Match, response: HttpResponse): void => {
    if (!hasBytes(response)) return
    metrics?.wroteNodes(response.body.nodes)
    // A response with `Age` is not cached, because the header would freeze.
    if (context.unreadable === undefined && context.storageAskedAt === undefined)
      responseCache.store(context.cacheKey, { match, response }, context.recording?.checks(env.ports))
  }

  return async (context: RequestContext, match: Route.Match): Promise<E.Either<HttpError.HttpError, HttpResponse>> => {
    const { route } = match
    // A trigger is looked up each time, because its limit depends on the client. Files are never cached.
    if (route.credential !== 'trigger' && !(route.operation in fileHandlers)) context.recording = new Recording()
    const task = handlers[route.operation](match)({ context, ports: portsOf(context), treeNodes, metrics })
    const deadline: Deadline = { remainingMs: Math.max(0, context.startedAt + firstByteMs - performance.now()) }
    context.restartTimeout = () => {
      if (performance.now() < context.startedAt + answerMs) deadline.restart?.()
    }
    const timedTask = withTimeout('the request', firstByteMs, task, deadline)
    // Guesses are limited only for secrets, and a user id is public.
    const run = route.credential === 'user id' ? timedTask : limitLookups(context.request, route.credential, timedTask)
    const result = await run()
    const isOverloaded = context.slot.is === 'refused'
    context.slot = readingSlots.end(context.slot)
    if (E.isRight(result)) cache(context, match, result.right)
    return isOverloaded ? E.left(HttpError.overloaded) : result
  }
}

/** Adds `Age` in whole seconds (RFC 9111) if an earlier request may have called the storage. */
const withAge = ({ storageAskedAt }: RequestContext, response: HttpResponse): HttpResponse => {
  if (storageAskedAt === undefined) return response
  const age = `${Math.floor((performance.now() - storageAskedAt) / 1000)}`
  return { ...response, headers: { ...response.headers, Age: age } }
}

const servePages =
  ({ pages, sender }: AppEnv): AppMiddleware =>
  (ctx, next) => {
    const { target } = ctx.context
    const path = E.isRight(target) ? target.right.path : ''
    for (const pageAt of pages) {
      const page = pageAt(path)
      if (page !== undefined) return byMethod(ctx, sender, () => sender.sendShared(ctx.context, page))
    }
    return next()
  }

const byMethod = async (
  { context }: AppContext,
  sender: Sender,
  respond: () => Promise<void> | void,
): Promise<void> => {
  if (context.isReadMethod) return respond()
  return context.request.method === 'OPTIONS'
    ? sender.sendShared(context, optionsResponse)
    : sender.sendError(context, HttpError.methodNotAllowed)
}
