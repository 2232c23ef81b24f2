import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { Failure } from '@canopy/domain'
import { everyResponse, type Headers, HttpError, jsonType } from '@canopy/http'
import accepts from 'accepts'
import fresh from 'fresh'
import type { RoomFor } from '../limits/unreadBytes.js'
import {
  type BytesResponse,
  type Download,
  entityTag,
  errorResponse,
  FailedStream,
  type HttpResponse,
  hasBytes,
  memoize,
  type Stream,
} from './HttpResponse.js'
import type { RequestContext } from './RequestContext.js'
import { cutResponse, ResponseCut, resetResponse } from './ResponseCut.js'

/** A promise if the body must be compressed first. */
type Sent = Promise<void> | void

/**
 * Writes the responses of the router and the response cache. `roomFor` limits the memory of unread responses. A client that
 * reads slowly and steadily is cut `answerMs` milliseconds after its request.
 */
export class Sender {
  readonly #roomFor: RoomFor
  readonly #answerMs: number

  constructor(roomFor: RoomFor, answerMs: number) {
    this.#roomFor = roomFor
    this.#answerMs = answerMs
  }

  send(context: RequestContext, response: HttpResponse): Sent {
    if (hasBytes(response)) return this.#sendBytes(context, response)
    if (response.body.is === 'download') return sendDownload(context, response, response.body)
    return response.body.is === 'stream'
      ? this.#sendStream(context, response, response.body)
      : write(context, response.status, headOf({ ...everyResponse, ...response.headers }))
  }

  sendError(context: RequestContext, error: HttpError.HttpError): Sent {
    context.error = error
    return this.send(context, errorResponse(error))
  }

  #sendBytes(context: RequestContext, response: BytesResponse): Sent {
    const { request } = context
    const heads = responseHeads(response)
    // Not the whole head: `Cache-Control: no-cache` in a request is for caches and does not disable the condition.
    const known = request.headers['if-none-match']
    if (known !== undefined && heads.etag !== undefined && fresh({ 'if-none-match': known }, { etag: heads.etag }))
      return write(context, 304, heads.notModified)
    const encoding = heads.isCompressible ? negotiate(request) : undefined
    if (encoding !== undefined) return this.#sendCompressed(context, response, encoding)
    return heads.small === undefined
      ? this.#writeLarge(context, response.status, heads.plain, response.body.bytes)
      : write(context, response.status, heads.plain, heads.small)
  }

  async #sendCompressed(context: RequestContext, response: BytesResponse, encoding: Encoding): Promise<void> {
    const bytes = response.body.compressed?.[encoding] ?? (await compressBytes[encoding](response.body.bytes))
    const own = ['Content-Encoding', encoding, 'Content-Length', `${bytes.length}`]
    return this.#writeLarge(context, response.status, [...responseHeads(response).compressed, ...own], bytes)
  }

  #writeLarge(context: RequestContext, status: number, head: Head, bytes: Buffer): Sent {
    if (!context.isHead) {
      if (!this.#roomFor(bytes, bytes.length, context.response)) return this.sendError(context, HttpError.overloaded)
      this.#limitTime(context)
    }
    write(context, status, head, bytes)
  }

  #sendStream(context: RequestContext, { status, headers }: HttpResponse, { stream }: Stream): Sent {
    const { response } = context
    const encoding = negotiate(context.request)
    const head = headOf({
      'Content-Type': jsonType,
      ...everyResponse,
      ...headers,
      Vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
      ...chunked(context),
    })
    const hasRoom = context.isHead || this.#roomFor(stream, streamBytes[encoding ?? 'identity'], response)
    if (!hasRoom || context.isHead) {
      stream.destroy()
      return hasRoom ? write(context, status, head) : this.sendError(context, HttpError.overloaded)
    }
    writeHead(context, status, head)
    this.#limitTime(context)
    pipeBody(context, stream, encoding)
  }

  /** Small bodies need no timer, because the kernel buffers them. */
  #limitTime({ startedAt, response }: RequestContext): void {
    const cut = (): void => cutResponse(response, 'answer took longer than CANOPY_ANSWER_MS')
    const timer = setTimeout(cut, startedAt + this.#answerMs - performance.now()).unref()
    response.once('close', () => clearTimeout(timer))
  }
}

/** Sends bytes of files. Their own bound limits their memory, and a check of the grant each second replaces the time limit. */
const sendDownload = (context: RequestContext, { status, headers }: HttpResponse, { stream }: Download): void => {
  const hasLength = headers['Content-Length'] !== undefined
  writeHead(context, status, headOf({ ...everyResponse, ...headers, ...(hasLength ? {} : chunked(context)) }))
  pipeBody(context, stream)
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
  if (thrown instanceof FailedStream) context.error = thrown.failure
  else if (!(thrown instanceof ResponseCut)) context.error = Failure.external(thrown)
  resetResponse(response, thrown)
}

/** Names and values alternate, as `writeHead` accepts them. */
type Head = ReadonlyArray<string>

const writeHead = ({ response, id }: RequestContext, status: number, head: Head): void => {
  response.writeHead(status, [...head, 'X-Request-Id', id])
}

const write = (context: RequestContext, status: number, head: Head, body?: string | Buffer): void => {
  writeHead(context, status, head)
  context.response.end(context.isHead ? undefined : body, 'latin1')
}

// Ten times as fast as `flat`.
const headOf = (headers: Headers): Head => {
  const head: Array<string> = []
  for (const [name, value] of Object.entries(headers)) head.push(name, value)
  return head
}

interface BytesHeads {
  /** `undefined` if no cache may store the response. */
  readonly etag: string | undefined
  readonly isCompressible: boolean
  /** For the uncompressed bytes. */
  readonly plain: Head
  /** A small body as latin1, one character for each byte, because Node writes a string in one piece with the head. */
  readonly small: string | undefined
  /** Lacks `Content-Encoding` and `Content-Length`; empty if the body is not compressible. */
  readonly compressed: Head
  /** Empty without an entity tag. */
  readonly notModified: Head
}

/** Smaller bodies do not gain from compression. */
const minCompressedBytes = 1024

const maxSmallBytes = 4096

/** Builds all headers of a response except those that depend on the request. Memoized. */
export const responseHeads = memoize(({ headers, body }: BytesResponse): BytesHeads => {
  const { bytes } = body
  const isCacheable = headers['Cache-Control'] !== 'no-store'
  const etag = isCacheable ? (body.etag ?? entityTag(createHash('sha256').update(bytes))) : undefined
  const isCompressible = bytes.length >= minCompressedBytes
  const notModified = {
    ...everyResponse,
    ...headers,
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(isCompressible ? { Vary: 'Accept-Encoding' } : {}),
  }
  const compressed = { 'Content-Type': jsonType, ...notModified }
  return {
    etag,
    isCompressible,
    plain: headOf({ ...compressed, 'Content-Length': `${bytes.length}` }),
    small: bytes.length <= maxSmallBytes ? bytes.toString('latin1') : undefined,
    compressed: isCompressible ? headOf(compressed) : [],
    notModified: etag === undefined ? [] : headOf(notModified),
  }
})

/** Preferred first. */
const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

const offered = [...encodings, 'identity']

/** Returns the encoding to send; `undefined` for the plain bytes. */
const negotiate = ({ headers }: IncomingMessage): Encoding | undefined => {
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return undefined
  // The header ignores case (RFC 9110, 5.6.6 and 12.5.3), but the library reads `q` and not `Q`.
  const request = { headers: { 'accept-encoding': accepted.toLowerCase() } } as IncomingMessage
  const preferred = accepts(request).encodings(offered)
  return encodings.find((candidate) => candidate === preferred)
}

// Level 4 of brotli compresses JSON better than level 6 of gzip, in less time. A window of 256 KiB instead of 4 MiB makes
// the body one percent longer, and a stream takes 1.5 MB instead of 9. Streams are flushed chunk by chunk.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }

/** Memoized, so a cached response is compressed once. */
const compressBytes: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  br: memoize((bytes) => promisify(brotliCompress)(bytes, brotli)),
  gzip: memoize((bytes) => promisify(gzip)(bytes)),
}

const compressor: { readonly [E in Encoding]: () => Transform } = {
  br: () => createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
}

/** Fails if the source fails, and ends the source when it ends itself. */
const compressStream = (source: Readable, encoding: Encoding): Readable =>
  pipeline(source, compressor[encoding](), () => undefined)

/** Memory for a stream with its source, measured with slow readers. An upper estimate. */
const streamBytes: { readonly [E in Encoding | 'identity']: number } = {
  identity: 1_572_864,
  gzip: 2_621_440,
  br: 2_621_440,
}
