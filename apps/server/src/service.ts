import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { AppMiddleware } from './AppState.js'
import { app } from './app.js'
import { type AtOnce, fewAtOnce } from './defence/fewAtOnce.js'
import { type LookupLimits, waitSeconds } from './defence/limitLookups.js'
import type { Handler } from './defence/shed.js'
import { type UnreadBounds, unreadBytes } from './defence/unreadBytes.js'
import { carry, type Exchange } from './Exchange.js'
import { type KeptAnswer, keepAnswers } from './keptAnswers/keepAnswers.js'
import { lineASecond } from './log/lineASecond.js'
import { logRequest } from './log/logRequest.js'
import { isProbe, type Readiness } from './observe/health.js'
import { measurePorts } from './observe/Metrics.js'
import { type Observing, observers } from './observe/observe.js'
import { guardPorts } from './ports/guardPorts.js'
import type { Ports } from './ports/Ports.js'
import type { RouteEnv } from './Route.js'
import { headProblem } from './request/headProblem.js'
import { requestIdOf, traceIdOfRequest } from './request/identifyRequest.js'
import { send } from './send/send.js'

export interface ServiceEnv extends RouteEnv, LookupLimits, Observing {
  readonly readiness: Readiness
  readonly log: Logger
  /** How long one call of a port may take, in milliseconds. */
  readonly portTimeoutMs: number
  /** How many answers are made at once; those that are kept wait for nobody. */
  readonly atOnce: AtOnce
  /** Memory for kept answers, in bytes; 0 keeps none. */
  readonly keptAnswerBytes: number
  readonly unread: UnreadBounds
  /** The web page, if it is served. */
  readonly explorer?: AppMiddleware | undefined
}

const watched = ({ metrics }: Observing, ports: Ports): Ports =>
  metrics === undefined ? ports : measurePorts(ports, metrics)

const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** The service: ports in, a handler of requests out. */
export const service = (env: ServiceEnv): Handler => {
  const keptAnswers = keepAnswers(env.keptAnswerBytes)
  const appEnv = {
    ...env,
    ...watched(env, guardPorts(env, env.portTimeoutMs)),
    keptAnswers,
  }
  const inTurn = fewAtOnce(env.atOnce)
  const answerByKoa = app(appEnv).callback()
  const log = logRequest(env.log)
  const others = observers(env)
  const reportCut = lineASecond(env.log, 'cut', 'clients that had not read their answers were cut')
  const roomFor = unreadBytes(env.unread, () => {
    reportCut()
    env.metrics?.cut()
  })

  const exchangeOf = (request: IncomingMessage, response: ServerResponse): Exchange => {
    const traceId = traceIdOfRequest(request)
    const state = {
      requestId: requestIdOf(request),
      isProbe: isProbe(request),
      ...(traceId === undefined ? {} : { traceId }),
    }
    return { request, response, state, roomFor, began: performance.now() }
  }

  /** What was answered before to the same target, if anything. */
  const keptFor = (request: IncomingMessage): KeptAnswer | undefined =>
    isReading(request) && headProblem(request) === undefined ? keptAnswers.get(request.url ?? '') : undefined

  /** Whether making it anew would give the same. */
  const stands = async (request: IncomingMessage, { route, stands: again }: KeptAnswer): Promise<boolean> =>
    (await waitSeconds(env, request, route)) === 0 && again()

  const answerKept = async (exchange: Exchange, kept: KeptAnswer): Promise<boolean> => {
    const { route, asked, answer } = kept
    Object.assign(exchange.state, { route, asked })
    if (!(await stands(exchange.request, kept))) return false
    env.metrics?.wroteNodes(answer.body.nodes)
    await send(exchange, answer)
    return true
  }

  const answerAnew = async (exchange: Exchange): Promise<void> => {
    carry(exchange)
    await answerByKoa(exchange.request, exchange.response)
  }

  /** While it waited its client may have left, and somebody else may have asked for the same. */
  const answerInTurn = async (exchange: Exchange, notStanding: KeptAnswer | undefined): Promise<void> => {
    if (exchange.response.destroyed) return
    const kept = keptFor(exchange.request)
    if (kept === undefined || kept === notStanding || !(await answerKept(exchange, kept))) await answerAnew(exchange)
  }

  const answerTo = async (exchange: Exchange): Promise<void> => {
    const { isProbe } = exchange.state
    if (!isProbe) for (const observe of others) observe(exchange)
    // Before anything is awaited: whoever leaves meanwhile has a line as well.
    log(exchange)
    if (isProbe) return answerAnew(exchange)
    const kept = keptFor(exchange.request)
    if (kept === undefined || !(await answerKept(exchange, kept))) await inTurn(() => answerInTurn(exchange, kept))
  }

  return async (request, response) => {
    const exchange = exchangeOf(request, response)
    try {
      await answerTo(exchange)
    } catch (thrown) {
      // Koa answers what goes wrong on its way; of the rest nobody else hears.
      env.log.error({ id: exchange.state.requestId, cause: String(thrown) }, 'not answered')
      response.destroy()
    }
  }
}
