import type { RequestListener, ServerResponse } from 'node:http'
import { Failure } from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { Registry } from 'prom-client'
import type { Answer } from '../../answer/Answer.js'
import { jsonType, notForPages } from '../../answer/everyAnswer.js'
import { refusalAnswer } from '../../answer/refusalAnswer.js'
import { type Listening, listen } from '../../connection/listen.js'
import { methodNotAllowed, noSuchRoute, type Refusal } from '../../Refusal.js'

export interface MetricsAddress {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

const readers = 100

const send = (response: ServerResponse, status: number, headers: Answer['headers'], bytes: Buffer): void => {
  response.writeHead(status, { ...notForPages, ...headers, 'Content-Length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

const refuse = (response: ServerResponse, refusal: Refusal, more: Answer['headers'] = {}): void => {
  const { status, headers, body } = refusalAnswer(refusal)
  send(response, status, { ...headers, ...more, 'Content-Type': jsonType }, body.bytes)
}

const answer =
  (collect: () => Promise<string>): RequestListener =>
  (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return refuse(response, noSuchRoute)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, methodNotAllowed, { Allow: 'GET, HEAD' })
    const headers = { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE, 'Cache-Control': 'no-store' }
    collect().then(
      (text) => send(response, 200, headers, Buffer.from(text)),
      (thrown: unknown) => refuse(response, Failure.external(thrown)),
    )
  }

/** Serves what `collect` gives, in Prometheus' text format, at `/metrics` on a port of its own; 502 when it gives nothing. */
export const metricsServer = (
  collect: () => Promise<string>,
  address: MetricsAddress,
): TE.TaskEither<Error, Listening> => listen(answer(collect), { ...address, maxConnections: readers })
