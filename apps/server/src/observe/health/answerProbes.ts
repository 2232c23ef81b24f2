import type { IncomingMessage } from 'node:http'
import { type AppMiddleware, refuse, respond } from '../../AppState.js'
import { type Answer, type BytesAnswer, json } from '../../answer/Answer.js'
import { refusalAnswer } from '../../answer/refusalAnswer.js'
import { methodNotAllowed } from '../../Refusal.js'
import type { Readiness, Verdict } from './Readiness.js'

const answer = (status: number, body: Readonly<Record<string, unknown>>): Answer => ({
  status,
  headers: { 'Cache-Control': 'no-store' },
  body: json(JSON.stringify(body)),
})

const healthy = answer(200, { type: 'health', status: 'ok' })

const answerOf = (verdict: Verdict): Answer => {
  switch (verdict.is) {
    case 'ready':
      return answer(200, { type: 'ready', status: 'ok' })
    case 'failed':
      return answer(503, { type: 'ready', status: 'failed', failed: verdict.parts })
    case 'draining':
      return answer(503, { type: 'ready', status: 'draining' })
  }
}

type Probe = (readiness: Readiness) => Promise<Answer>

const probes: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  ['/healthz', async () => healthy],
  ['/readyz', async ({ verdict }) => answerOf(await verdict())],
])

const probeOf = ({ url = '' }: IncomingMessage): Probe | undefined =>
  probes.get(url.includes('?') ? url.slice(0, url.indexOf('?')) : url)

/** Whether a request asks how the server is: to be answered also when nothing else is. */
export const isProbe = (request: IncomingMessage): boolean => probeOf(request) !== undefined

/** The methods of a probe. */
export const probeMethods = 'GET, HEAD'

const notAllowed = refusalAnswer(methodNotAllowed)
const onlyReading: BytesAnswer = { ...notAllowed, headers: { ...notAllowed.headers, Allow: probeMethods } }

/** `/healthz`: the process answers. `/readyz`: so do the registry and the storage, and the server is not going away. */
export const answerProbes =
  (readiness: Readiness): AppMiddleware =>
  async (ctx, next) => {
    const probe = probeOf(ctx.req)
    if (probe === undefined) return next()
    return ctx.method === 'GET' || ctx.method === 'HEAD'
      ? respond(ctx, await probe(readiness))
      : refuse(ctx, methodNotAllowed, onlyReading)
  }
