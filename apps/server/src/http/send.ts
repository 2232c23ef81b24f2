import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { Failure } from '@canopy/domain'
import accepts from 'accepts'
import fresh from 'fresh'
import type { RoomFor } from '../limits/unreadBytes.js'
import { AnswerCut, cutAnswer, resetAnswer } from './AnswerCut.js'
import {
  type Answer,
  type BytesAnswer,
  entityTag,
  everyAnswer,
  FailedStream,
  type Headers,
  hasBytes,
  jsonType,
  refusalAnswer,
  type Stream,
} from './answers.js'
import { overloaded, type Refusal } from './Refusal.js'
import type { RequestContext } from './RequestContext.js'

/** What is derived from a value that never changes, derived once for as long as the value lives. */
const memoize = <A extends object, B>(derive: (a: A) => B): ((a: A) => B) => {
  const known = new WeakMap<A, { readonly value: B }>()
  return (a) => {
    const found = known.get(a) ?? { value: derive(a) }
    known.set(a, found)
    return found.value
  }
}

/** Preferred first. */
const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

/** Below this many bytes an answer gains nothing. */
const worthwhileBytes = 1024

// Level 4 of brotli compresses JSON better than level 6 of gzip, in less time. A window of 256 KiB instead of 4 MiB makes
// it a hundredth longer, and a stream takes 1.5 MB instead of 9. Streams are flushed chunk by chunk.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }
// Once for each body: a cached answer is compressed once, and so are the pages that never change.
const compressBytes: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  br: memoize((bytes) => promisify(brotliCompress)(bytes, brotli)),
  gzip: memoize((bytes) => promisify(gzip)(bytes)),
}
const compressor: { readonly [E in Encoding]: () => Transform } = {
  br: () => createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
}

/** Fails when the source fails, and ends the source when it is ended itself. */
const compressStream = (source: Readable, encoding: Encoding): Readable =>
  pipeline(source, compressor[encoding](), () => undefined)

const offered = [...encodings, 'identity']

/** The encoding to send; `undefined` for none. */
export const negotiate = ({ headers }: IncomingMessage): Encoding | undefined => {
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return undefined
  // Nothing in it depends on case (RFC 9110, 5.6.6 and 12.5.3), but the library reads `q` alone, not `Q`.
  const request = { headers: { 'accept-encoding': accepted.toLowerCase() } } as IncomingMessage
  const preferred = accepts(request).encodings(offered)
  return encodings.find((candidate) => candidate === preferred)
}

/** Names and values in one row, which Node writes as they are. */
type Head = ReadonlyArray<string>

// `flat` takes ten times as long, for each answer that is made.
const headOf = (headers: Headers): Head => {
  const head: Array<string> = []
  for (const [name, value] of Object.entries(headers)) head.push(name, value)
  return head
}

const isCacheable = ({ headers }: Answer): boolean => headers['Cache-Control'] !== 'no-store'

const smallBytes = 4096

interface BytesHeads {
  /** `undefined` for what no cache may store. */
  readonly etag: string | undefined
  readonly compressible: boolean
  /** Of the bytes as they are. */
  readonly plain: Head
  /** A small body, each byte a character (latin1): Node writes it together with the head, in one piece. */
  readonly small: string | undefined
  /** Lacks `Content-Encoding` and `Content-Length`; empty for what is not compressible. */
  readonly compressed: Head
  /** Empty without an entity tag. */
  readonly notModified: Head
}

/** All headers of an answer but the request's own, put together once for as long as the answer lives. */
export const headsOf = memoize((answer: BytesAnswer): BytesHeads => {
  const { bytes } = answer.body
  const etag = isCacheable(answer) ? (answer.body.etag ?? entityTag(createHash('sha256').update(bytes))) : undefined
  const compressible = bytes.length >= worthwhileBytes
  const notModified = {
    ...everyAnswer,
    ...answer.headers,
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(compressible ? { Vary: 'Accept-Encoding' } : {}),
  }
  const compressed = { 'Content-Type': jsonType, ...notModified }
  return {
    etag,
    compressible,
    plain: headOf({ ...compressed, 'Content-Length': `${bytes.length}` }),
    small: bytes.length <= smallBytes ? bytes.toString('latin1') : undefined,
    compressed: compressible ? headOf(compressed) : [],
    notModified: etag === undefined ? [] : headOf(notModified),
  }
})

/** With what makes them, as measured with slow readers; on the high side. */
const streamBytes: { readonly [E in Encoding | 'identity']: number } = {
  identity: 1_572_864,
  gzip: 2_621_440,
  br: 2_621_440,
}

/** A promise where the body must be compressed first. */
export interface Sender {
  readonly send: (context: RequestContext, answer: Answer) => Promise<void> | void
  readonly refuse: (context: RequestContext, refusal: Refusal) => Promise<void> | void
}

const isHead = ({ request }: RequestContext): boolean => request.method === 'HEAD'

const writeHead = ({ response, id }: RequestContext, status: number, head: Head): void => {
  response.writeHead(status, [...head, 'X-Request-Id', id])
}

const write = (context: RequestContext, status: number, head: Head, body?: string | Buffer): void => {
  writeHead(context, status, head)
  context.response.end(isHead(context) ? undefined : body, 'latin1')
}

/**
 * The one place that writes answers. `roomFor` says whether there is memory for what the client has not read yet. A client
 * that reads slowly and steadily is cut `answerMs` milliseconds after it asked.
 */
export const sender = (roomFor: RoomFor, answerMs: number): Sender => {
  /** Small bodies need no timer: the kernel buffers them. */
  const boundTime = ({ began, response }: RequestContext): void => {
    const cut = (): void => cutAnswer(response, 'answer took longer than CANOPY_ANSWER_MS')
    const timer = setTimeout(cut, began + answerMs - performance.now()).unref()
    response.once('close', () => clearTimeout(timer))
  }

  const refuse: Sender['refuse'] = (context, refusal) => {
    context.refusal = refusal
    return send(context, refusalAnswer(refusal))
  }

  const writeLarge = (context: RequestContext, status: number, head: Head, bytes: Buffer): Promise<void> | void => {
    if (!isHead(context)) {
      if (!roomFor(bytes, bytes.length, context.response)) return refuse(context, overloaded)
      boundTime(context)
    }
    write(context, status, head, bytes)
  }

  const sendCompressed = async (context: RequestContext, answer: BytesAnswer, encoding: Encoding): Promise<void> => {
    const bytes = answer.body.compressed?.[encoding] ?? (await compressBytes[encoding](answer.body.bytes))
    const own = ['Content-Encoding', encoding, 'Content-Length', `${bytes.length}`]
    return writeLarge(context, answer.status, [...headsOf(answer).compressed, ...own], bytes)
  }

  const sendBytes = (context: RequestContext, answer: BytesAnswer): Promise<void> | void => {
    const { request } = context
    const heads = headsOf(answer)
    // Not the whole head: `Cache-Control: no-cache` speaks to caches, and does not undo a condition.
    const known = request.headers['if-none-match']
    if (known !== undefined && heads.etag !== undefined && fresh({ 'if-none-match': known }, { etag: heads.etag }))
      return write(context, 304, heads.notModified)
    const encoding = heads.compressible ? negotiate(request) : undefined
    if (encoding !== undefined) return sendCompressed(context, answer, encoding)
    return heads.small === undefined
      ? writeLarge(context, answer.status, heads.plain, answer.body.bytes)
      : write(context, answer.status, heads.plain, heads.small)
  }

  const sendStream = (context: RequestContext, answer: Answer, { stream }: Stream): Promise<void> | void => {
    const { request, response } = context
    const encoding = negotiate(request)
    const headers = { 'Content-Type': jsonType, ...everyAnswer, ...answer.headers, Vary: 'Accept-Encoding' }
    const encoded = encoding === undefined ? {} : { 'Content-Encoding': encoding }
    // HTTP/1.0 knows no chunks: the end of the connection is the end of the body.
    const isChunked = request.httpVersion !== '1.0'
    const chunked = isChunked ? { 'Transfer-Encoding': 'chunked' } : {}
    // Node sends them to HTTP/1.0 too when the request has `TE: chunked` (RFC 9112, 6.1, forbids it).
    response.useChunkedEncodingByDefault = isChunked
    const head = headOf({ ...headers, ...encoded, ...chunked })
    const hasRoom = isHead(context) || roomFor(stream, streamBytes[encoding ?? 'identity'], response)
    if (!hasRoom || isHead(context)) {
      stream.destroy()
      return hasRoom ? write(context, answer.status, head) : refuse(context, overloaded)
    }
    writeHead(context, answer.status, head)
    // A pipeline listens ten times, and so may a request behind it: no leak.
    response.setMaxListeners(0)
    boundTime(context)
    // After the first byte the only honest way to fail is to reset the connection. Anything thrown once the client is gone
    // is only the news that it is gone.
    stream.once('error', (thrown) => {
      if (response.destroyed) return
      if (thrown instanceof FailedStream) context.refusal = thrown.failure
      else if (!(thrown instanceof AnswerCut)) context.refusal = Failure.external(thrown)
      resetAnswer(response, thrown)
    })
    pipeline(encoding === undefined ? stream : compressStream(stream, encoding), response, () => undefined)
  }

  const send: Sender['send'] = (context, answer) => {
    if (hasBytes(answer)) return sendBytes(context, answer)
    return answer.body.is === 'stream'
      ? sendStream(context, answer, answer.body)
      : write(context, answer.status, headOf({ ...everyAnswer, ...answer.headers }))
  }

  return { send, refuse }
}
