import { pipeline } from 'node:stream'
import { Failure } from '@canopy/domain'
import fresh from 'fresh'
import { type Answer, type BytesAnswer, hasBytes, type Stream } from '../Answer.js'
import { compressBytes, compressStream } from '../compress.js'
import type { Exchange } from '../Exchange.js'
import { everyAnswer, jsonType } from '../everyAnswer.js'
import type { Refusal } from '../Refusal.js'
import { WalkFailed } from '../WalkFailed.js'
import { type Head, headOf, headsOf } from './heads.js'
import { negotiate } from './negotiate.js'

const isHead = ({ request }: Exchange): boolean => request.method === 'HEAD'

const write = (exchange: Exchange, status: number, head: Head, body?: Buffer | string): void => {
  const { response, state } = exchange
  response.writeHead(status, [...head, 'X-Request-Id', state.requestId])
  if (body === undefined || isHead(exchange)) response.end()
  else response.end(body, 'latin1')
}

const sendBytes = async (exchange: Exchange, answer: BytesAnswer): Promise<void> => {
  const { request } = exchange
  const heads = headsOf(answer)
  const { bytes } = answer.body
  const isKnown = request.headers['if-none-match'] !== undefined && heads.etag !== undefined
  if (isKnown && fresh(request.headers, { etag: heads.etag })) return write(exchange, 304, heads.notModified)
  const encoding = heads.compressible ? negotiate(request) : undefined
  if (encoding === undefined) return write(exchange, answer.status, heads.plain, heads.small ?? bytes)
  const compressed = await compressBytes(bytes, encoding)
  const head = [...heads.compressed, 'Content-Encoding', encoding, 'Content-Length', `${compressed.length}`]
  return write(exchange, answer.status, head, compressed)
}

const refusalOf = (thrown: unknown): Refusal =>
  thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)

const sendStream = (exchange: Exchange, answer: Answer, { stream }: Stream): void => {
  const { request, response, state } = exchange
  const encoding = negotiate(request)
  const headers = { 'Content-Type': jsonType, ...everyAnswer, ...answer.headers, Vary: 'Accept-Encoding' }
  const encoded = encoding === undefined ? {} : { 'Content-Encoding': encoding }
  const head = headOf({ ...headers, ...encoded, 'Transfer-Encoding': 'chunked', 'X-Request-Id': state.requestId })
  response.writeHead(answer.status, [...head])
  if (isHead(exchange)) {
    stream.destroy()
    response.end()
    return
  }
  // After the first byte the only honest way to fail is to cut the connection. Anything thrown once the client is gone
  // is only the news that it is gone.
  stream.once('error', (thrown) => {
    if (!response.destroyed) state.refusal = refusalOf(thrown)
  })
  pipeline(encoding === undefined ? stream : compressStream(stream, encoding), response, () => undefined)
}

/** The one place that writes an answer to a request. */
export const send = async (exchange: Exchange, answer: Answer): Promise<void> => {
  if (hasBytes(answer)) return sendBytes(exchange, answer)
  return answer.body.is === 'stream'
    ? sendStream(exchange, answer, answer.body)
    : write(exchange, answer.status, headOf({ ...everyAnswer, ...answer.headers }))
}
