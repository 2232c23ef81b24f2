import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  closedToOtherOrigins,
  type Headers,
  HttpError,
  headProblem,
  isForLoopback,
  openToAllOrigins,
} from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { type AppOptions, app } from './app.js'
import { type ConnectionOptions, httpServer, type Stop } from './http/connections.js'
import type { RequestContext } from './http/RequestContext.js'
import { Sender } from './http/send.js'
import { ReadingSlots } from './limits/ReadingSlots.js'
import { type UnreadBounds, unreadBytes } from './limits/unreadBytes.js'
import { reportMalformed, reportRefused } from './observe/connectionReports.js'
import { type Probe, probesOnlyRead, type Readiness } from './observe/health.js'
import { lineASecond } from './observe/log.js'
import { type ObserveEnv, observeRequests } from './observe/observeRequests.js'
import type { PortCallEnv } from './portCall.js'
import { responseCache } from './responseCache.js'

export interface ServerEnv extends AppOptions, ObserveEnv, Pick<PortCallEnv, 'ports' | 'portMs' | 'mountOf'> {
  readonly readiness: Readiness
  readonly connections: Omit<ConnectionOptions, 'origins' | 'onMalformed' | 'onRefused'>
  /** Maximum number of requests in work. Under overload, refusing some at once keeps the responses to all others fast. */
  readonly maxAdmitted: number
  readonly unread: UnreadBounds
  /** How long a whole response may take, including the client's reading, in milliseconds. */
  readonly answerMs: number
  /** Memory for cached responses, in bytes; 0 disables the cache. */
  readonly cacheBytes: number
  /** Only this machine's own pages and programs may read: refuses other hosts, and closes responses to other origins. */
  readonly loopbackOnly: boolean
}

// The way of a request (docs/architecture.md):
//
//     connections.ts -> observe -> check -> admit -> response cache -> send
//                                                    \-> app.ts: Koa's router -> operationHandlers.ts -> domain -> bodies/
//                                                                -> response cache -> send
//
// In the domain: operations.ts -> authorization.ts -> Items.ts or treeAt.ts -> askStorage.ts. authorization.ts calls the registry,
// askStorage.ts the storage, and then authorization.ts the registry again, each through portCall.ts. Next are:
//
//     registry   followFile.ts (SQLite only) -> Registry.ts, and readSettings.ts -> sqlite.ts or postgresql.ts
//     storage    for directories (storage.ts has the others): byMount.ts -> foreignStorage.ts or cachedListings.ts. This looks up
//                the root of the area, then -> singleFlight.ts -> watchedRead.ts: begins watches (Watches.ts -> changeEvents.ts),
//                then -> fsStorage.ts -> PathResolver.ts -> areas.ts -> openPinned.ts, then directory.ts. A large directory is
//                read in a child process: fsStorage.ts -> ReaderPool.ts -> reader.ts -> PathResolver.ts.

/** Creates the server: observes, checks and admits each request, and responds from the cache or by Koa. */
export const server = (env: ServerEnv): { readonly server: Server; readonly stop: Stop } => {
  const { log, metrics, readiness, maxAdmitted } = env
  const observe = observeRequests(env)
  const sender = senderOf(env)
  const cache = responseCache(env.cacheBytes)
  // Requests for one area or mount occupy at most half of the slots, and leave the others free.
  const readingSlots = new ReadingSlots(Math.ceil(maxAdmitted / 2))
  const respondByKoa = app({ ...env, readingSlots, responseCache: cache, sender })

  let admitted = 0
  const setAdmitted = (count: number): void => {
    admitted = count
    metrics?.setAdmitted(count)
  }

  const respondFromCacheOrApp = async (context: RequestContext): Promise<void> => {
    const cached = context.isReadMethod ? cache.find(context.cacheKey) : undefined
    if (cached === undefined || !(await cached.isFresh())) return respondByKoa(context)
    context.match = cached.match
    metrics?.servedCachedResponse()
    metrics?.wroteNodes(cached.response.body.nodes)
    return sender.sendShared(context, cached.response)
  }

  const respondToProbe = async (context: RequestContext, probe: Probe): Promise<void> => {
    if (context.isReadMethod) return sender.sendShared(context, await probe(readiness))
    context.error = HttpError.methodNotAllowed
    return sender.sendShared(context, probesOnlyRead)
  }

  const respond = async (context: RequestContext): Promise<void> => {
    const error = requestProblem(context, env.loopbackOnly)
    if (error !== undefined) return sender.sendError(context, error)
    if (context.probe !== undefined) return respondToProbe(context, context.probe)
    if (admitted >= maxAdmitted) return sender.sendError(context, HttpError.overloaded)
    setAdmitted(admitted + 1)
    try {
      await respondFromCacheOrApp(context)
    } finally {
      // From now on the client sets the pace of the response.
      setAdmitted(admitted - 1)
    }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const context = observe(request, response)
    respond(context).catch((thrown) => {
      // Koa responds to errors in its middleware; all others are only logged.
      log.error({ id: context.id, cause: String(thrown) }, 'request failed without a response')
      response.destroy()
    })
  }

  return httpServer(handle, {
    ...env.connections,
    origins: originsOf(env),
    onMalformed: reportMalformed(log, env),
    onRefused: reportRefused(log, env, env.connections),
  })
}

const originsOf = ({ loopbackOnly }: ServerEnv): Headers => (loopbackOnly ? closedToOtherOrigins : openToAllOrigins)

const senderOf = (env: ServerEnv): Sender => {
  const { log, metrics, unread, files, answerMs } = env
  const reportCut = lineASecond(log, 'cut', 'disconnected slow clients: unread responses exceeded CANOPY_UNREAD_BYTES')
  const roomFor = unreadBytes(unread, () => {
    reportCut()
    metrics?.cutUnread()
  })
  return new Sender({ roomFor, maxDownloads: files?.maxDownloads ?? 0, answerMs, origins: originsOf(env), metrics })
}

/** Reports whether a cut response would look complete: a unix socket cannot be reset, and HTTP/1.0 has no chunks. */
const isCutAmbiguous = ({ httpVersion, socket }: IncomingMessage): boolean =>
  httpVersion === '1.0' && socket.remoteAddress === undefined

/** Returns why a request must be refused: it is for another server, or two servers in a row could read it in two ways. */
const requestProblem = (
  { request, response, target }: RequestContext,
  loopbackOnly: boolean,
): HttpError.HttpError | undefined => {
  const error =
    headProblem(request) ??
    (loopbackOnly && !isForLoopback(request) ? HttpError.badRequest : undefined) ??
    (isCutAmbiguous(request) ? HttpError.badRequest : undefined) ??
    (E.isLeft(target) ? target.left : undefined)
  // The end of a bad request may be ambiguous (RFC 9112, 6.3), so no other request can follow on the connection.
  if (error?.error === 'bad request') response.shouldKeepAlive = false
  return error
}
