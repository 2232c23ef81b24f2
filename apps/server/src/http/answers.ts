import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Envelope, type Failure } from '@canopy/domain'
import type { QueryParameter, Refusal, RefusalName } from './Refusal.js'

export type Headers = Readonly<Record<string, string>>

/** An HTTP response as a value: immutable, so that what is derived from it can be memoized. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Body = Bytes | Stream | Nothing

export interface BytesAnswer extends Answer {
  readonly body: Bytes
}

export const hasBytes = (answer: Answer): answer is BytesAnswer => answer.body.is === 'bytes'

export interface Bytes {
  readonly is: 'bytes'
  readonly bytes: Buffer
  /** How many nodes or items they hold. */
  readonly nodes: number
  /** Where it was made along with the bytes. */
  readonly etag?: string
  /** By the build. */
  readonly compressed?: { readonly br: Buffer; readonly gzip: Buffer }
}

/** Thrown by a stream that must not go on, such as after a token was revoked. */
export class FailedStream extends Error {
  readonly failure: Failure.Failure

  constructor(failure: Failure.Failure) {
    super(failure.error)
    this.failure = failure
  }
}

/** JSON of unknown length. If it fails, the connection is reset. */
export interface Stream {
  readonly is: 'stream'
  readonly stream: Readable
}

export interface Nothing {
  readonly is: 'nothing'
}

export const bytes = (buffer: Buffer, nodes = 0): Bytes => ({ is: 'bytes', bytes: buffer, nodes })
export const json = (text: string, nodes = 0): Bytes => bytes(Buffer.from(text), nodes)
export const stream = (readable: Readable): Stream => ({ is: 'stream', stream: readable })

/** Of a hash of the whole body. Weak, since the same answer may come compressed in several ways. */
export const entityTag = (sha256: Hash): string => `W/"${sha256.digest('base64url').slice(0, 22)}"`

export const jsonType = 'application/json; charset=utf-8'

/** Headers of every answer that is for one reader only, as the metrics are. */
export const notForPages: Headers = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

/** Headers of every answer of the service, the refusals included: pages of any origin may read it. */
export const everyAnswer: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, ETag, Link, Retry-After, X-Request-Id',
  ...notForPages,
}

/** The methods of every operation. */
export const allow = 'GET, HEAD, OPTIONS'

/** What OPTIONS answers on the five operations, a browser's preflight included. */
export const optionsAnswer: Answer = {
  status: 204,
  headers: {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  },
  body: { is: 'nothing' },
}

export const statuses: { readonly [Name in RefusalName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
  'no such route': 404,
  'method not allowed': 405,
  'bad request': 400,
  'too many requests': 429,
  overloaded: 503,
}

const headers: { readonly [Name in RefusalName]?: Headers } = {
  'invalid token': { 'WWW-Authenticate': 'PathToken' },
  'method not allowed': { Allow: allow },
  overloaded: { 'Retry-After': '1' },
}

const answerTo = (name: RefusalName, envelope = Envelope.errorJson(name)): BytesAnswer => ({
  status: statuses[name],
  headers: { 'Cache-Control': 'no-store', ...headers[name] },
  body: json(envelope),
})

const malformed = (parameter: QueryParameter): BytesAnswer =>
  answerTo('bad request', JSON.stringify({ type: 'error', error: 'bad request', parameter }))

const byParameter: { readonly [Parameter in QueryParameter]: BytesAnswer } = {
  depth: malformed('depth'),
  limit: malformed('limit'),
  after: malformed('after'),
}

const answers = Object.fromEntries(Object.keys(statuses).map((name) => [name, answerTo(name as RefusalName)])) as {
  readonly [Name in RefusalName]: BytesAnswer
}

/** The same bytes for each name and parameter, whatever lies behind it. */
export const refusalAnswer = (refusal: Refusal): BytesAnswer => {
  if (refusal.error === 'bad request' && refusal.parameter !== undefined) return byParameter[refusal.parameter]
  const answer = answers[refusal.error]
  if (refusal.error === 'too many requests')
    return { ...answer, headers: { ...answer.headers, 'Retry-After': `${refusal.retryAfterSeconds}` } }
  return refusal.error === 'bad request' && refusal.status !== answer.status
    ? { ...answer, status: refusal.status }
    : answer
}
