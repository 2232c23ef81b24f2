import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tree } from '@canopy/domain'
import { type HttpError, isReadMethod, type RequestTarget, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { type Probe, probes } from '../observe/health.js'
import type { StartCall } from '../observe/openTelemetry.js'
import type { Recording } from '../responseCache.js'

const requestEnded = new Error('the client has left, or has its response')

/**
 * The state of one request. Each step of the server sets its own fields. Until the response ends, storage calls update
 * `storageAskedAt` and `unreadable`, and a stream that fails sets `error`.
 */
export class RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse

  // Observe.

  /** Sent as `X-Request-Id`, and logged. */
  readonly id: string
  /** By `performance.now()`. */
  readonly startedAt = performance.now()
  /** Split once. Left: nothing may respond to this target. */
  readonly target: E.Either<HttpError.HttpError, RequestTarget>
  /** Responds to a probe; `undefined` for any other request. */
  readonly probe: Probe | undefined
  traceId: string | undefined
  /** Starts the span of a port call; `undefined` if the request is not traced. */
  startCall: StartCall | undefined

  // Response cache or router, whichever responds.

  match: Route.Match | undefined

  // Operation.

  /** The port calls of a response that may be cached. */
  recording: Recording | undefined
  /** Restarts the limit on the first byte, because each page of a storage is progress. */
  restartTimeout: (() => void) | undefined
  /** The area or mount whose reading slot the request occupies. */
  slot: string | undefined
  hasOperationEnded = false
  /** The start of the oldest storage call in use, by `performance.now()`, if older answers are allowed. */
  storageAskedAt: number | undefined
  /** The directories that a tree did not expand because they cannot be read. */
  unreadable: { count: number; readonly first: Tree.Unreadable } | undefined

  // Response.

  error: HttpError.HttpError | undefined
  /** The bytes of files in the response so far; `undefined` if it has none. */
  fileBytes: number | undefined

  #cancellation: AbortController | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    target: E.Either<HttpError.HttpError, RequestTarget>,
  ) {
    this.request = request
    this.response = response
    this.id = id
    this.target = target
    this.probe = E.isRight(target) ? probes.get(target.right.path) : undefined
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  /** GET or HEAD. */
  get isReadMethod(): boolean {
    return isReadMethod(this.request.method)
  }

  /** Aborts when the client leaves or has its response. Created on first use, because few requests need it. */
  get signal(): AbortSignal {
    if (this.#cancellation !== undefined) return this.#cancellation.signal
    const cancellation = new AbortController()
    this.#cancellation = cancellation
    // A tree waits for many directories at once.
    setMaxListeners(0, cancellation.signal)
    const abort = (): void => cancellation.abort(requestEnded)
    if (this.response.destroyed) abort()
    else this.response.once('close', abort)
    return cancellation.signal
  }

  get isCancelled(): boolean {
    return this.#cancellation?.signal.aborted ?? false
  }

  addUnreadable(directory: Tree.Unreadable): void {
    this.unreadable ??= { count: 0, first: directory }
    this.unreadable.count += 1
  }
}
