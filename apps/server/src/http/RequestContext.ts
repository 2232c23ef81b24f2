import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tree } from '@canopy/domain'
import { type HttpError, isReadMethod, linesType, type RequestTarget, type Route } from '@canopy/http'
import accepts from 'accepts'
import type { Probe } from '../observe/health.js'
import type { StartCall } from '../observe/openTelemetry.js'
import type { Recording } from '../responseCache.js'

const jsonMediaType = 'application/json'

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
  /** Responds to a probe; `undefined` for any other request. */
  readonly probe: Probe | undefined
  traceId: string | undefined
  /** Starts the span of a port call; `undefined` if the request is not traced. */
  startCall: StartCall | undefined

  // Check.

  target: RequestTarget | undefined

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

  #cancellation: AbortController | undefined

  constructor(request: IncomingMessage, response: ServerResponse, id: string, probe: Probe | undefined) {
    this.request = request
    this.response = response
    this.id = id
    this.probe = probe
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  /** GET or HEAD. */
  get isReadMethod(): boolean {
    return isReadMethod(this.request.method)
  }

  /** The client asks for a tree as lines. Without a header that names their type and prefers it, every answer is JSON. */
  get wantsLines(): boolean {
    const accept = this.request.headers.accept?.toLowerCase()
    if (accept?.includes(linesType) !== true) return false
    return accepts({ headers: { accept } } as IncomingMessage).type([jsonMediaType, linesType]) === linesType
  }

  /** The key of the response cache: one for each representation of a target. */
  get cacheKey(): string {
    const { url = '' } = this.request
    return this.wantsLines ? `lines of ${url}` : url
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
