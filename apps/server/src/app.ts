import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type Area, Failure, type StoragePath, type Tree } from '@canopy/domain'
import { Router } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import Koa, { type DefaultState, type Middleware, type ParameterizedContext } from 'koa'
import { type Answer, hasBytes, optionsAnswer, refusalAnswer } from './http/answers.js'
import { methodNotAllowed, noSuchRoute, overloaded } from './http/Refusal.js'
import type { RequestContext } from './http/RequestContext.js'
import { askedOf, isReading } from './http/request.js'
import type { Sender } from './http/send.js'
import type { ReadingSlots } from './limits/admission.js'
import type { LimitLookups } from './limits/failedLookups.js'
import { probeMethods, type Readiness } from './observe/health.js'
import type { Metrics } from './observe/prometheus.js'
import { aroundPorts, type Deadline, inTime, type Ports, portsOfRequest } from './ports.js'
import { type ResponseCache, recordLookups } from './responseCache.js'
import { type Asked, type Route, routes } from './routes.js'

/** Answers for some paths below the base path that never depend on who asks, such as the OpenAPI document and the web page. */
export type Pages = (path: string) => Answer | undefined

export interface AppOptions {
  /** What every path begins with; empty, or `/` and names. */
  readonly basePath: string
  readonly readiness: Readiness
  readonly limitLookups: LimitLookups
  /** The network or FUSE mounts that reading this directory touches; `undefined` for none. */
  readonly mountOf: (area: Area.Area, path: StoragePath.StoragePath) => string | undefined
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly pages: ReadonlyArray<Pages>
  /** How long a request may take until the first byte of its answer, in milliseconds. */
  readonly firstByteMs: number
}

export interface AppEnv extends AppOptions {
  readonly ports: Ports
  /** How long a whole answer may take, in milliseconds. */
  readonly answerMs: number
  readonly metrics?: Metrics | undefined
  readonly readingSlots: ReadingSlots
  readonly responseCache: ResponseCache
  /** The ports that a cached answer is checked by, with a bound of its own on the time of them all. */
  readonly unguarded: Ports
}

/** Koa's context, with what is known of the request. */
interface Known {
  known: RequestContext
}
/** Koa passes the request on, and with it what is known of it. */
type Carrier = IncomingMessage & { canopy?: RequestContext }

type AppMiddleware = Middleware<DefaultState, Known>
type AppContext = ParameterizedContext<DefaultState, Known>

const refusedProbe = refusalAnswer(methodNotAllowed)
const probesOnlyRead = { ...refusedProbe, headers: { ...refusedProbe.headers, Allow: probeMethods } }

const gone = new Error('the client has gone, or has its answer')

/** The signal that no one waits for the answer any more; made when it is first asked for. */
const goneSignal = ({ response }: RequestContext): (() => AbortSignal) => {
  let controller: AbortController | undefined
  return () => {
    if (controller !== undefined) return controller.signal
    const made = new AbortController()
    controller = made
    // A tree waits for many directories at once.
    setMaxListeners(0, made.signal)
    if (response.destroyed) made.abort(gone)
    else response.once('close', () => made.abort(gone))
    return made.signal
  }
}

/** In whole seconds (RFC 9111): how long ago the storage was asked, where it may have been before the request came. */
const withAge = ({ storageAsked }: RequestContext, answer: Answer): Answer =>
  storageAsked === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, Age: `${Math.floor((performance.now() - storageAsked) / 1000)}` } }

/** Koa finds what answers. Answers do not pass through Koa's context. */
export const app = (env: AppEnv, { send, refuse }: Sender): ((known: RequestContext) => Promise<void>) => {
  const byMethod = async (ctx: AppContext, answer: () => Promise<void> | void): Promise<void> => {
    if (isReading(ctx)) return answer()
    return ctx.method === 'OPTIONS' ? send(ctx.known, optionsAnswer) : refuse(ctx.known, methodNotAllowed)
  }

  const answerOperation = async (known: RequestContext, route: Route, asked: Asked) => {
    const sawUnreadable = (directory: Tree.Unreadable): void => {
      env.metrics?.sawUnreadable()
      known.unreadable ??= { directories: 0, first: directory }
      known.unreadable.directories += 1
    }
    const gone = goneSignal(known)
    /** What the request reads, once it does. */
    let reads: string | undefined
    let isCrowded = false
    let isAnswered = false
    const ofRequest = portsOfRequest(env.ports, {
      mayRead: (area, path) => {
        if (reads !== undefined) return true
        const what = env.mountOf(area, path) ?? area.location
        // What goes on after a late answer takes no place: nothing would give it back.
        if (!isAnswered && env.readingSlots.acquire(what)) reads = what
        else isCrowded = true
        return !isCrowded
      },
      gaveOlder: (askedAt) => {
        known.storageAsked = Math.min(askedAt, known.storageAsked ?? askedAt)
      },
      gavePage: () => {
        if (performance.now() < known.began + env.answerMs) deadline.restart?.()
      },
    })
    // A trigger is looked up each time: its limit depends on who asks.
    const recording = route.credential === 'trigger' ? undefined : recordLookups(ofRequest, env.unguarded)
    const recorded = recording?.ports ?? env.ports
    const ports = known.aroundPort === undefined ? recorded : aroundPorts(recorded, known.aroundPort)
    const deadline: Deadline = { leftMs: Math.max(0, known.began + env.firstByteMs - performance.now()) }
    const { treeNodes, metrics } = env
    const answer = route.answer(asked)({ ...ports, treeNodes, metrics, sawUnreadable, signal: gone })
    const answered = await env.limitLookups(
      known.request,
      route,
      inTime('the service', env.firstByteMs, answer, deadline),
    )()
    isAnswered = true
    if (reads !== undefined) env.readingSlots.release(reads)
    if (isCrowded) return E.left(overloaded)
    if (E.isRight(answered) && hasBytes(answered.right)) {
      env.metrics?.wroteNodes(answered.right.body.nodes)
      // One with an age is of its moment: the next one is older.
      if (known.unreadable === undefined && known.storageAsked === undefined)
        env.responseCache.store(known.request.url ?? '', { route, asked, answer: answered.right }, recording?.lookups())
    }
    return answered
  }

  const answerRoute =
    (route: Route): AppMiddleware =>
    (ctx, next) => {
      const { known } = ctx
      const asked = known.target && O.toUndefined(askedOf(route, known.target))
      if (asked === undefined) return next()
      known.route = route
      known.asked = asked
      return byMethod(ctx, async () =>
        pipe(
          await answerOperation(known, route, asked),
          E.match(
            (refusal) => refuse(ctx.known, refusal),
            (answer) => send(ctx.known, withAge(known, answer)),
          ),
        ),
      )
    }

  const router = new Router<DefaultState, Known>({ sensitive: true })
  for (const route of routes) router.all(`${env.basePath}${route.prefix}:credential{/*path}`, answerRoute(route))

  const koa = new Koa<DefaultState, Known>()
  // What Koa reports here is a stream that ended early; its request's own line says so.
  koa.silent = true
  koa.use(async (ctx, next) => {
    ctx.respond = false
    const { canopy: known }: Carrier = ctx.req
    if (known === undefined) return
    ctx.known = known
    try {
      await next()
    } catch (thrown) {
      // A defect of ours is an answer too, with its cause in the log.
      await refuse(ctx.known, Failure.external(thrown))
    }
  })
  koa.use(async (ctx, next) => {
    const { probe } = ctx.known
    if (probe === undefined) return next()
    if (isReading(ctx)) return send(ctx.known, await probe(env.readiness))
    ctx.known.refusal = methodNotAllowed
    return send(ctx.known, probesOnlyRead)
  })
  koa.use(router.routes())
  koa.use((ctx, next) => {
    const path = ctx.known.target?.path ?? ''
    for (const pages of env.pages) {
      const page = pages(path)
      if (page !== undefined) return byMethod(ctx, () => send(ctx.known, page))
    }
    return next()
  })
  koa.use((ctx) => refuse(ctx.known, noSuchRoute))
  const callback = koa.callback()
  return (known) => callback(Object.assign(known.request, { canopy: known } satisfies Partial<Carrier>), known.response)
}
