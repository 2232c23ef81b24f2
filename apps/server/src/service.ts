import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { app } from './app.js'
import { type LookupLimits, waitSeconds } from './defence/limitLookups.js'
import type { Handler } from './defence/shed.js'
import { type UnreadBounds, unreadBytes } from './defence/unreadBytes.js'
import { carry, type Exchange } from './Exchange.js'
import { type KeptAnswer, keepAnswers } from './keptAnswers/keepAnswers.js'
import { lineASecond } from './log/lineASecond.js'
import { logRequest } from './log/logRequest.js'
import { isProbe } from './observe/health/answerProbes.js'
import type { Readiness } from './observe/health/Readiness.js'
import { measurePorts } from './observe/metrics/measurePorts.js'
import type { Observing } from './observe/Observing.js'
import { observers } from './observe/observers.js'
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
  /** Memory for kept answers, in bytes; 0 keeps none. */
  readonly keptAnswerBytes: number
  readonly unread: UnreadBounds
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

  const sendKept = async (exchange: Exchange, { answer }: KeptAnswer): Promise<void> => {
    env.metrics?.wroteNodes(answer.body.nodes)
    await send(exchange, answer)
  }

  const answerTo = async (exchange: Exchange): Promise<void> => {
    const { request, response, state } = exchange
    if (!state.isProbe) for (const observe of others) observe(exchange)
    const kept = keptFor(request)
    if (kept !== undefined) Object.assign(state, { route: kept.route, asked: kept.asked })
    // Before anything is awaited: whoever leaves meanwhile has a line as well.
    log(exchange)
    if (kept !== undefined && (await stands(request, kept))) return sendKept(exchange, kept)
    carry(exchange)
    return answerByKoa(request, response)
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
