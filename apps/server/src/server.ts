import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { type AppOptions, app } from './app.js'
import { type ConnectionOptions, httpServer, type Stop } from './http/connections.js'
import { badRequest, overloaded, type Refusal } from './http/Refusal.js'
import type { RequestContext } from './http/RequestContext.js'
import { headProblem, isReading, parseTarget } from './http/request.js'
import { sender } from './http/send.js'
import { type AdmissionOptions, admission, ReadingSlots } from './limits/admission.js'
import { type UnreadBounds, unreadBytes } from './limits/unreadBytes.js'
import { lineASecond } from './observe/log.js'
import { reportMalformed, reportRefused } from './observe/observe.js'
import { type ObserveEnv, observeRequests } from './observe/observeRequests.js'
import { guardPorts, measurePorts, type Ports } from './ports.js'
import { responseCache } from './responseCache.js'

export interface ServerEnv extends AppOptions, Ports, ObserveEnv {
  readonly connections: Omit<ConnectionOptions, 'onMalformed' | 'onRefused'>
  readonly admission: Omit<AdmissionOptions, 'onChange'>
  readonly unread: UnreadBounds
  /** How long a whole answer may take, the reading of its client included, in milliseconds. */
  readonly answerMs: number
  /** How long one call of a port may take, in milliseconds. */
  readonly portMs: number
  /** Memory for cached answers, in bytes; 0 caches none. */
  readonly cacheBytes: number
}

/** A unix socket cannot be reset: to HTTP/1.0, which knows no chunks, an answer that is cut would look whole. */
const cutWouldLookWhole = ({ httpVersion, socket }: IncomingMessage): boolean =>
  httpVersion === '1.0' && socket.remoteAddress === undefined

/** What two servers in a row could read in two ways is refused, and is the last of its connection. */
const check = (context: RequestContext, basePath: string): Refusal | undefined => {
  const { request, response } = context
  const target = parseTarget(basePath)(request.url ?? '')
  if (E.isRight(target)) context.target = target.right
  const problem =
    headProblem(request) ??
    (cutWouldLookWhole(request) ? badRequest : undefined) ??
    (E.isLeft(target) ? target.left : undefined)
  // Where such a request ends is not sure, and so neither where the next one begins (RFC 9112, 6.3).
  if (problem?.error === 'bad request') response.shouldKeepAlive = false
  return problem
}

/** The service, from the socket to Koa: observe, check, admit, cached, queue, Koa. */
export const server = (env: ServerEnv): { readonly server: Server; readonly stop: Stop } => {
  const { log, metrics } = env
  const observe = observeRequests(env)
  const { acquire, release, queue } = admission({ ...env.admission, onChange: (n) => metrics?.tookPlaces(n) })
  const reportCut = lineASecond(log, 'cut', 'clients that had not read their answers were cut')
  const sending = sender(
    unreadBytes(env.unread, () => {
      reportCut()
      metrics?.cut()
    }),
    env.answerMs,
  )
  const { send, refuse } = sending
  const guarded = guardPorts(env, env.portMs)
  const ports = metrics === undefined ? guarded : measurePorts(guarded, metrics)
  const cache = responseCache(env.cacheBytes)
  // Whatever waits for one area or mount, half of the places are left to all others.
  const readingSlots = new ReadingSlots(Math.ceil(env.admission.most / 2))
  const answerByKoa = app({ ...env, ports, unguarded: env, responseCache: cache, readingSlots }, sending)

  /** Sends the cached answer where there is one that is current; where there is none, `make` makes one. */
  const answerCached = async (context: RequestContext, make: () => Promise<void>): Promise<void> => {
    const { request } = context
    const cached = isReading(request) ? cache.find(request.url ?? '') : undefined
    if (cached === undefined || !(await cached.isCurrent())) return make()
    context.route = cached.route
    context.asked = cached.asked
    metrics?.wroteNodes(cached.answer.body.nodes)
    return send(context, cached.answer)
  }

  const answerQueued = async (context: RequestContext): Promise<void> => {
    // While it was queued its client may have left, and another may have asked for the same.
    if (!context.response.destroyed) await answerCached(context, () => answerByKoa(context))
  }

  const answer = async (context: RequestContext): Promise<void> => {
    const problem = check(context, env.basePath)
    if (problem !== undefined) return refuse(context, problem)
    if (context.probe) return answerByKoa(context)
    if (!acquire()) return refuse(context, overloaded)
    try {
      await answerCached(context, () => queue(() => answerQueued(context)))
    } finally {
      release()
    }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const context = observe(request, response)
    answer(context).catch((thrown) => {
      // Koa answers what goes wrong on its way; of the rest only the log hears.
      log.error({ id: context.id, cause: String(thrown) }, 'not answered')
      response.destroy()
    })
  }

  return httpServer(handle, {
    ...env.connections,
    onMalformed: reportMalformed(log, env),
    onRefused: reportRefused(log, env, env.connections),
  })
}
