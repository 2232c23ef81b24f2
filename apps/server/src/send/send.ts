import { pipeline } from 'node:stream'
import { Failure } from '@canopy/domain'
import fresh from 'fresh'
import { type Answer, type BytesAnswer, hasBytes, type Stream } from '../answer/Answer.js'
import { everyAnswer, jsonType } from '../answer/everyAnswer.js'
import { refusalAnswer } from '../answer/refusalAnswer.js'
import { cut } from '../connection/cut.js'
import type { Exchange } from '../Exchange.js'
import { overloaded } from '../Refusal.js'
import { compressBytes, compressStream, type Encoding } from './compress.js'
import { type BytesHeads, type Head, headOf, headsOf } from './heads.js'
import { negotiate } from './negotiate.js'

/** Only what must be compressed first takes time. */
type Sending = Promise<void> | void

const isHead = ({ request }: Exchange): boolean => request.method === 'HEAD'

const writeHead = ({ response, state }: Exchange, status: number, head: Head): void => {
  response.writeHead(status, [...head, 'X-Request-Id', state.requestId])
}

const write = (exchange: Exchange, status: number, head: Head, body?: string | Buffer): void => {
  writeHead(exchange, status, head)
  exchange.response.end(isHead(exchange) ? undefined : body, 'latin1')
}

/** What was made is not sent: too many others have not read theirs. */
const refuseForRoom = (exchange: Exchange): void => {
  exchange.state.refusal = overloaded
  const answer = refusalAnswer(overloaded)
  write(exchange, answer.status, headsOf(answer).plain, answer.body.bytes)
}

/** Where there is room for what its client has not read yet. */
const writeLarge = (exchange: Exchange, status: number, head: Head, bytes: Buffer): void => {
  const hasRoom = isHead(exchange) || exchange.roomFor(bytes, bytes.length, exchange.response)
  if (hasRoom) write(exchange, status, head, bytes)
  else refuseForRoom(exchange)
}

const sendCompressed = async (
  exchange: Exchange,
  { status, body }: BytesAnswer,
  { compressed }: BytesHeads,
  encoding: Encoding,
): Promise<void> => {
  const bytes = await compressBytes(body.bytes, encoding)
  writeLarge(
    exchange,
    status,
    [...compressed, 'Content-Encoding', encoding, 'Content-Length', `${bytes.length}`],
    bytes,
  )
}

const sendBytes = (exchange: Exchange, answer: BytesAnswer): Sending => {
  const { request } = exchange
  const heads = headsOf(answer)
  const { bytes } = answer.body
  // Not the whole head: `Cache-Control: no-cache` speaks to caches, and does not undo a condition.
  const isKnown = request.headers['if-none-match'] !== undefined && heads.etag !== undefined
  if (isKnown && fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag: heads.etag }))
    return write(exchange, 304, heads.notModified)
  const encoding = heads.compressible ? negotiate(request) : undefined
  if (encoding !== undefined) return sendCompressed(exchange, answer, heads, encoding)
  return heads.small === undefined
    ? writeLarge(exchange, answer.status, heads.plain, bytes)
    : write(exchange, answer.status, heads.plain, heads.small)
}

/** With what makes them, as measured with slow readers; on the high side. */
const streamBytes: { readonly [E in Encoding | 'identity']: number } = {
  identity: 1_572_864,
  gzip: 2_621_440,
  br: 2_621_440,
}

const sendStream = (exchange: Exchange, answer: Answer, { stream }: Stream): void => {
  const { request, response, state } = exchange
  const encoding = negotiate(request)
  const headers = { 'Content-Type': jsonType, ...everyAnswer, ...answer.headers, Vary: 'Accept-Encoding' }
  const encoded = encoding === undefined ? {} : { 'Content-Encoding': encoding }
  // HTTP/1.0 knows no chunks: the end of the connection is the end of the body.
  const isChunked = request.httpVersion !== '1.0'
  const chunked = isChunked ? { 'Transfer-Encoding': 'chunked' } : {}
  // Node sends them to HTTP/1.0 too when the request has `TE: chunked` (RFC 9112, 6.1, forbids it).
  response.useChunkedEncodingByDefault = isChunked
  const head = headOf({ ...headers, ...encoded, ...chunked })
  const hasRoom = isHead(exchange) || exchange.roomFor(stream, streamBytes[encoding ?? 'identity'], response)
  if (!hasRoom || isHead(exchange)) {
    stream.destroy()
    if (hasRoom) write(exchange, answer.status, head)
    else refuseForRoom(exchange)
    return
  }
  writeHead(exchange, answer.status, head)
  // After the first byte the only honest way to fail is to cut the connection. Anything thrown once the client is gone
  // is only the news that it is gone.
  stream.once('error', (thrown) => {
    if (response.destroyed) return
    state.refusal = Failure.external(thrown)
    cut(request.socket)
  })
  pipeline(encoding === undefined ? stream : compressStream(stream, encoding), response, () => undefined)
}

/** The one place that writes an answer of the service, but for what is refused before any work (`shed.ts`) or is no request. */
export const send = (exchange: Exchange, answer: Answer): Sending => {
  if (hasBytes(answer)) return sendBytes(exchange, answer)
  return answer.body.is === 'stream'
    ? sendStream(exchange, answer, answer.body)
    : write(exchange, answer.status, headOf({ ...everyAnswer, ...answer.headers }))
}
