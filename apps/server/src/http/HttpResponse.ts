import type { Hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { Failure } from '@canopy/domain'
import { type Headers, HttpError, preflight } from '@canopy/http'

/** An HTTP response as a value: immutable, so that derived values can be memoized. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Body = Bytes | Stream | Download | Empty

export interface BytesResponse extends HttpResponse {
  readonly body: Bytes
}

export const hasBytes = (response: HttpResponse): response is BytesResponse => response.body.is === 'bytes'

export interface Bytes {
  readonly is: 'bytes'
  readonly bytes: Buffer
  /** The number of nodes or items in the body. */
  readonly nodes: number
  /** Set if it was computed along with the bytes. */
  readonly etag?: string
  /** Compressed by the build. */
  readonly compressed?: { readonly br: Buffer; readonly gzip: Buffer }
}

/** JSON of unknown length. If the stream fails, the connection is reset. */
export interface Stream {
  readonly is: 'stream'
  readonly stream: Readable
}

/** Bytes of files, sent as they are. Only `CANOPY_IDLE_MS` bounds their time. If the stream fails, the connection is reset. */
export interface Download {
  readonly is: 'download'
  readonly kind: 'file' | 'range' | 'archive'
  /** Called once, and only if the bytes are to be sent: not for HEAD, and not above the limit of downloads. */
  readonly begin: () => Readable
}

export interface Empty {
  readonly is: 'empty'
}

export const bytes = (buffer: Buffer, nodes = 0): Bytes => ({ is: 'bytes', bytes: buffer, nodes })
export const json = (text: string, nodes = 0): Bytes => bytes(Buffer.from(text), nodes)
export const stream = (readable: Readable): Stream => ({ is: 'stream', stream: readable })

/** Returns the tag of a body with this hash. Weak, because the body may be sent with several encodings. */
export const entityTag = (sha256: Hash): string => `W/"${sha256.digest('base64url').slice(0, 22)}"`

/** Memoizes a function of an immutable object for the lifetime of that object. */
export const memoize = <A extends object, B extends object>(derive: (a: A) => B): ((a: A) => B) => {
  const derived = new WeakMap<A, B>()
  return (a) => {
    const known = derived.get(a)
    if (known !== undefined) return known
    const value = derive(a)
    derived.set(a, value)
    return value
  }
}

const withBytes = memoize(
  ({ status, headers, body }: HttpError.ErrorResponse): BytesResponse => ({ status, headers, body: json(body) }),
)

/** Usually the very same object for the same name, so its headers are built once. */
export const errorResponse = (error: HttpError.HttpError): BytesResponse => withBytes(HttpError.toResponse(error))

/** The response to OPTIONS. */
export const optionsResponse: HttpResponse = { status: 204, headers: preflight, body: { is: 'empty' } }

// Responses that end early, after their head.

/** Thrown by a stream that must end early, for example because the token was revoked. */
export class FailedStream extends Error {
  readonly failure: HttpError.HttpError

  constructor(failure: HttpError.HttpError) {
    super(failure.error)
    this.failure = failure
  }
}

/** Returns the failure of a stream. Any other error is a bug, and `external`. */
export const failureOf = (thrown: unknown): HttpError.HttpError =>
  thrown instanceof FailedStream ? thrown.failure : Failure.external(thrown)

/**
 * Why the server cuts a response after its head, except for a failure of storage or registry. The log line shows the message as
 * `cut`, and metrics count the failure `cut`. A streamed body that must end early throws one.
 */
export class ResponseCut extends Error {}

export const cutResponse = (response: ServerResponse, reason: string): void => {
  resetResponse(response, new ResponseCut(reason))
}

/** Ends an incomplete response. In HTTP/1.0, a connection that closes without a reset would look like the end of the body. */
export const resetResponse = (response: ServerResponse, cause: Error): void => {
  resetConnection(response.req.socket)
  response.destroy(cause)
}

/** Resets a connection. A unix socket has no reset, so it is closed. */
export const resetConnection = (socket: Socket): void => {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** Returns why the server cut a response; `undefined` if it did not. */
export const cutReason = ({ errored }: ServerResponse): string | undefined =>
  errored instanceof ResponseCut ? errored.message : undefined
