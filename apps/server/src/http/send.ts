import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { commonHeaders, type Headers, HttpError, jsonType } from '@canopy/http'
import fresh from 'fresh'
import type { RoomFor } from '../limits/unreadBytes.js'
import type { Metrics } from '../observe/prometheus.js'
import {
  compressBytes,
  compressStream,
  type Encoding,
  minCompressedBytes,
  negotiate,
  streamBytes,
} from './compression.js'
import {
  type BytesResponse,
  cutResponse,
  type Download,
  entityTag,
  errorResponse,
  failureOf,
  type HttpResponse,
  hasBytes,
  memoize,
  ResponseCut,
  resetResponse,
  type Stream,
} from './HttpResponse.js'
import type { RequestContext } from './RequestContext.js'

/** A promise if the body must be compressed first. */
type Sent = Promise<void> | void

export interface SenderOptions {
  /** Limits the memory of unread responses. */
  readonly roomFor: RoomFor
  /** Downloads in progress. */
  readonly maxDownloads: number
  /** A client that reads slowly and steadily is cut after this time since its request, in milliseconds. */
  readonly answerMs: number
  /** Headers of every response that say which origins may read it. */
  readonly origins: Headers
  readonly metrics?: Metrics | undefined
}

/** Writes the responses of the router and the response cache. */
export class Sender {
  readonly #roomFor: RoomFor
  readonly #maxDownloads: number
  readonly #metrics: Metrics | undefined
  readonly #answerMs: number
  readonly #origins: Headers
  readonly #prepare: (response: BytesResponse) => PreparedResponse
  #downloads = 0

  constructor({ roomFor, maxDownloads, answerMs, origins, metrics }: SenderOptions) {
    this.#roomFor = roomFor
    this.#maxDownloads = maxDownloads
    this.#metrics = metrics
    this.#answerMs = answerMs
    this.#origins = origins
    this.#prepare = memoize((response) => prepareResponse(response, origins))
  }

  /** Sends a response that was found in the cache or is constant: its headers are built once. */
  sendShared(context: RequestContext, response: HttpResponse): Sent {
    return hasBytes(response)
      ? this.#sendBytes(context, response, this.#prepare(response))
      : this.sendNew(context, response)
  }

  /** Sends a response that was just built. Its headers are not memoized, which would cost a tenth of a trigger peek. */
  sendNew(context: RequestContext, response: HttpResponse): Sent {
    if (hasBytes(response)) return this.#sendBytes(context, response, prepareResponse(response, this.#origins))
    if (response.body.is === 'download') return this.#sendDownload(context, response, response.body)
    return response.body.is === 'stream'
      ? this.#sendStream(context, response, response.body)
      : this.#end(context, response.status, this.#withCommon(response.headers))
  }

  sendError(context: RequestContext, error: HttpError.HttpError): Sent {
    context.error = error
    return this.sendShared(context, errorResponse(error))
  }

  #sendBytes(context: RequestContext, response: BytesResponse, prepared: PreparedResponse): Sent {
    const { request } = context
    // Not the whole head: `Cache-Control: no-cache` in a request is for caches and does not disable the condition.
    const known = request.headers['if-none-match']
    if (
      known !== undefined &&
      prepared.etag !== undefined &&
      fresh({ 'if-none-match': known }, { etag: prepared.etag })
    )
      return this.#end(context, 304, prepared.notModified)
    const encoding = prepared.isCompressible ? negotiate(request) : undefined
    if (encoding !== undefined) return this.#sendCompressed(context, response, prepared, encoding)
    return prepared.small === undefined
      ? this.#endLarge(context, response.status, prepared.plain, response.body.bytes)
      : this.#end(context, response.status, prepared.plain, prepared.small)
  }

  async #sendCompressed(
    context: RequestContext,
    { status, body }: BytesResponse,
    { compressed }: PreparedResponse,
    encoding: Encoding,
  ): Promise<void> {
    const bytes = body.compressed?.[encoding] ?? (await compressBytes[encoding](body.bytes))
    const own = ['Content-Encoding', encoding, 'Content-Length', `${bytes.length}`]
    return this.#endLarge(context, status, [...compressed, ...own], bytes)
  }

  #endLarge(context: RequestContext, status: number, headers: RawHeaders, bytes: Buffer): Sent {
    if (!context.isHead && !this.#roomFor(bytes, bytes.length, context.response))
      return this.sendError(context, HttpError.overloaded)
    this.#end(context, status, headers, bytes)
    // A body that the kernel has buffered needs no timer.
    if (context.response.writableLength > 0) this.#limitTime(context)
  }

  #sendStream(context: RequestContext, { status, headers }: HttpResponse, { stream }: Stream): Sent {
    const { response } = context
    const encoding = negotiate(context.request)
    const head = this.#withCommon({
      'Content-Type': jsonType,
      ...headers,
      Vary: varyWithEncoding(headers),
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
      ...chunked(context),
    })
    const hasRoom = context.isHead || this.#roomFor(stream, streamBytes[encoding ?? 'identity'], response)
    if (!hasRoom || context.isHead) {
      stream.destroy()
      return hasRoom ? this.#end(context, status, head) : this.sendError(context, HttpError.overloaded)
    }
    this.#writeHead(context, status, head)
    this.#limitTime(context)
    pipeBody(context, stream, encoding)
  }

  /**
   * Sends bytes of files. Their own bound limits their memory, so that slow ones never make listings `overloaded`. A check of the
   * grant each second replaces the time limit.
   */
  #sendDownload(context: RequestContext, { status, headers }: HttpResponse, { kind, begin }: Download): Sent {
    const hasLength = headers['Content-Length'] !== undefined
    const head = this.#withCommon({ ...headers, ...(hasLength ? {} : chunked(context)) })
    if (context.isHead) return this.#end(context, status, head)
    if (this.#downloads >= this.#maxDownloads || context.signal.aborted)
      return this.sendError(context, HttpError.overloaded)
    this.#downloads += 1
    this.#metrics?.beganDownload(kind)
    context.response.once('close', () => {
      this.#downloads -= 1
      this.#metrics?.endedDownload()
    })
    this.#writeHead(context, status, head)
    pipeBody(context, begin())
  }

  /**
   * Adds the headers of every response. Those about origins win, because the service may be closed to other origins; but a response
   * may expose other headers to origins that may read it.
   */
  #withCommon(headers: Headers): RawHeaders {
    const { 'Access-Control-Expose-Headers': exposed, ...others } = headers
    const isExposed = exposed !== undefined && 'Access-Control-Expose-Headers' in this.#origins
    const exposing: Headers = isExposed ? { 'Access-Control-Expose-Headers': exposed } : {}
    return toRaw({ ...commonHeaders, ...others, ...this.#origins, ...exposing })
  }

  #writeHead({ response, id }: RequestContext, status: number, headers: RawHeaders): void {
    response.writeHead(status, [...headers, 'X-Request-Id', id])
  }

  #end(context: RequestContext, status: number, headers: RawHeaders, body?: string | Buffer): void {
    // Nothing reads its file. The response may wait long for an earlier one of the connection.
    void context.file?.close()
    this.#writeHead(context, status, headers)
    context.response.end(context.isHead ? undefined : body, 'latin1')
  }

  #limitTime({ startedAt, response }: RequestContext): void {
    // Its `close` is over.
    if (response.destroyed) return
    const cut = (): void => cutResponse(response, 'response exceeded CANOPY_ANSWER_MS')
    const timer = setTimeout(cut, startedAt + this.#answerMs - performance.now()).unref()
    response.once('close', () => clearTimeout(timer))
  }
}

/** Returns the header of a body without a length. HTTP/1.0 has no chunks: the end of the connection ends the body. */
const chunked = ({ request, response }: RequestContext): Headers => {
  const isChunked = request.httpVersion !== '1.0'
  // Otherwise Node sends chunks to HTTP/1.0 if the request has `TE: chunked`, which RFC 9112, 6.1, forbids.
  response.useChunkedEncodingByDefault = isChunked
  return isChunked ? { 'Transfer-Encoding': 'chunked' } : {}
}

const pipeBody = (context: RequestContext, stream: Readable, encoding?: Encoding): void => {
  const { response } = context
  // A pipeline adds ten listeners, and so does the next request on the connection, so many listeners are not a leak.
  response.setMaxListeners(0)
  stream.once('error', (thrown) => failStream(context, thrown))
  pipeline(encoding === undefined ? stream : compressStream(stream, encoding), response, () => undefined)
}

/** After the first byte, only a reset of the connection tells the client that the response is incomplete. */
const failStream = (context: RequestContext, thrown: Error): void => {
  const { response } = context
  // Once the client has left, the error only says so.
  if (response.destroyed) return
  if (!(thrown instanceof ResponseCut)) context.error = failureOf(thrown)
  resetResponse(response, thrown)
}

/** Names and values alternate, as `writeHead` accepts them. */
type RawHeaders = ReadonlyArray<string>

const toRaw = (headers: Headers): RawHeaders => {
  const raw: Array<string> = []
  for (const name of Object.keys(headers)) raw.push(name, headers[name] ?? '')
  return raw
}

/** Adds the encoding to the request headers on which a response depends. */
const varyWithEncoding = ({ Vary }: Headers): string =>
  Vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${Vary}`

/** A response in bytes, without the headers that depend on the request. */
interface PreparedResponse {
  /** `undefined` if no cache may store the response. */
  readonly etag: string | undefined
  readonly isCompressible: boolean
  /** For the uncompressed bytes. */
  readonly plain: RawHeaders
  /** A small body as latin1, one character for each byte, because Node writes a string in one piece with the head. */
  readonly small: string | undefined
  /** Lacks `Content-Encoding` and `Content-Length`. */
  readonly compressed: RawHeaders
  readonly notModified: RawHeaders
}

const maxSmallBytes = 4096

/** `origins` are the headers that say which origins may read the response. */
export const prepareResponse = ({ headers, body }: BytesResponse, origins: Headers): PreparedResponse => {
  const { bytes } = body
  const isCacheable = headers['Cache-Control'] !== 'no-store'
  const etag = isCacheable ? (body.etag ?? entityTag(createHash('sha256').update(bytes))) : undefined
  const isCompressible = bytes.length >= minCompressedBytes
  const withoutType = toRaw({
    ...commonHeaders,
    ...headers,
    ...origins,
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(isCompressible ? { Vary: varyWithEncoding(headers) } : {}),
  })
  const compressed = headers['Content-Type'] === undefined ? ['Content-Type', jsonType, ...withoutType] : withoutType
  return {
    etag,
    isCompressible,
    plain: [...compressed, 'Content-Length', `${bytes.length}`],
    small: bytes.length <= maxSmallBytes ? bytes.toString('latin1') : undefined,
    compressed,
    notModified: withoutType,
  }
}
