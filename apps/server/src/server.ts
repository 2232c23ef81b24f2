import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { HttpError, headProblem } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { type AppOptions, app } from './app.js'
import { type ConnectionOptions, httpServer, type Stop } from './http/connections.js'
import type { RequestContext } from './http/RequestContext.js'
import { Sender } from './http/send.js'
import { type AdmissionOptions, admission, ReadingSlots } from './limits/admission.js'
import { type UnreadBounds, unreadBytes } from './limits/unreadBytes.js'
import { reportMalformed, reportRefused } from './observe/connectionReports.js'
import { lineASecond } from './observe/log.js'
import { type ObserveEnv, observeRequests } from './observe/observeRequests.js'
import type { PortCallEnv } from './portCall.js'
import type { ServicePorts } from './ports.js'
import { responseCache } from './responseCache.js'

export interface ServerEnv extends AppOptions, ServicePorts, ObserveEnv, Pick<PortCallEnv, 'portMs' | 'mountOf'> {
  readonly connections: Omit<ConnectionOptions, 'onMalformed' | 'onRefused'>
  readonly admission: Omit<AdmissionOptions, 'onChange'>
  readonly unread: UnreadBounds
  /** How long a whole response may take, including the client's reading, in milliseconds. */
  readonly answerMs: number
  /** Memory for cached responses, in bytes; 0 disables the cache. */
  readonly cacheBytes: number
}

/** Creates the server: observes, checks and admits each request, and responds from the cache or by Koa. */
export const server = (env: ServerEnv): { readonly server: Server; readonly stop: Stop } => {
  const { log, metrics } = env
  const observe = observeRequests(env)
  const { acquire, release, queue } = admission({ ...env.admission, onChange: (count) => metrics?.setAdmitted(count) })
  const sender = senderOf(env)
  const cache = responseCache(env.cacheBytes)
  // Requests for one area or mount occupy at most half of the slots, and leave the others free.
  const readingSlots = new ReadingSlots(Math.ceil(env.admission.maxAdmitted / 2))
  const respondByKoa = app({ ...env, ports: env, readingSlots, responseCache: cache, sender })

  /** Resolves to false if no fresh response is cached. */
  const respondFromCache = async (context: RequestContext): Promise<boolean> => {
    const cached = context.isReadMethod ? cache.find(context.request.url ?? '') : undefined
    if (cached === undefined || !(await cached.isFresh())) return false
    context.match = cached.match
    metrics?.wroteNodes(cached.response.body.nodes)
    await sender.send(context, cached.response)
    return true
  }

  const respondInTurn = async (context: RequestContext): Promise<void> => {
    // While it was queued, its client may have left, or another request may have cached the response.
    if (context.response.destroyed || (await respondFromCache(context))) return
    await respondByKoa(context)
  }

  const respond = async (context: RequestContext): Promise<void> => {
    const error = check(context)
    if (error !== undefined) return sender.sendError(context, error)
    if (context.probe !== undefined) return respondByKoa(context)
    if (!acquire()) return sender.sendError(context, HttpError.overloaded)
    try {
      if (!(await respondFromCache(context))) await queue(() => respondInTurn(context))
    } finally {
      release()
    }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const context = observe(request, response)
    respond(context).catch((thrown) => {
      // Koa responds to errors in its middleware; all others are only logged.
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

const senderOf = ({ log, metrics, unread, answerMs }: ServerEnv): Sender => {
  const reportCut = lineASecond(log, 'cut', 'clients that had not read their answers were cut')
  const roomFor = unreadBytes(unread, () => {
    reportCut()
    metrics?.cut()
  })
  return new Sender(roomFor, answerMs)
}

/** Reports whether a cut response would look complete: a unix socket cannot be reset, and HTTP/1.0 has no chunks. */
const isCutAmbiguous = ({ httpVersion, socket }: IncomingMessage): boolean =>
  httpVersion === '1.0' && socket.remoteAddress === undefined

/** Refuses a request that two servers in a row could read in two ways, and closes its connection. */
const check = ({ request, response, target }: RequestContext): HttpError.HttpError | undefined => {
  const error =
    headProblem(request) ??
    (isCutAmbiguous(request) ? HttpError.badRequest : undefined) ??
    (E.isLeft(target) ? target.left : undefined)
  // The end of a bad request may be ambiguous (RFC 9112, 6.3), so no other request can follow on the connection.
  if (error?.error === 'bad request') response.shouldKeepAlive = false
  return error
}
