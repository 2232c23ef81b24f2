import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OpenedFile, Signal, Tree } from '@canopy/domain'
import { type HttpError, isReadMethod, linesType, type RequestTarget, type Route } from '@canopy/http'
import accepts from 'accepts'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestSlot } from '../limits/ReadingSlots.js'
import { type Probe, probes } from '../observe/health.js'
import type { StartCall } from '../observe/openTelemetry.js'
import type { CallContext } from '../portCall.js'
import type { Recording } from '../Recording.js'

/**
 * Aborts when the response closes, complete or not. A tree adds a listener for each of many directories at once. An
 * `AbortController` would take 5 % of a request for a missing name.
 */
export class ResponseSignal implements Signal {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get aborted(): boolean {
    return this.#response.destroyed
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#response.setMaxListeners(0).once('close', listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#response.off('close', listener)
  }

  throwIfAborted(): void {
    if (this.aborted) throw new Error('the response is closed')
  }
}

/**
 * The state of one request. Each step of the server sets its own fields. Until the response ends, storage calls update
 * `storageAskedAt` and `unreadable`, and a stream that fails sets `error`.
 */
export class RequestContext implements CallContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly signal: ResponseSignal

  // Observe.

  /** Sent as `X-Request-Id`, and logged. */
  readonly id: string
  /** By `performance.now()`. */
  readonly startedAt = performance.now()
  /** Split once. Left: the error for a target that has no route or is ambiguous. */
  readonly target: E.Either<HttpError.HttpError, RequestTarget>
  /** Responds to a probe; `undefined` for any other request. */
  readonly probe: Probe | undefined
  traceId: string | undefined
  startCall: StartCall | undefined

  // Response cache or router, whichever responds.

  match: Route.Match | undefined

  // Operation.

  /** Cleared by the first call that reads a foreign mount. */
  recording: Recording | undefined
  restartTimeout: (() => void) | undefined
  slot: RequestSlot = { is: 'unused' }
  storageAskedAt: number | undefined
  file: OpenedFile | undefined
  /** The directories that a tree did not expand because they cannot be read. */
  unreadable: { count: number; readonly first: Tree.Unreadable } | undefined

  // Response.

  error: HttpError.HttpError | undefined
  /** Bytes of files sent so far; `undefined` for a response without files. */
  fileBytes: number | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    target: E.Either<HttpError.HttpError, RequestTarget>,
  ) {
    this.request = request
    this.response = response
    this.signal = new ResponseSignal(response)
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

  /** The client asks for a tree as lines. Without a header that names their type and prefers it, every answer is JSON. */
  get wantsLines(): boolean {
    // The header ignores case, but the library reads `q` and not `Q`.
    const accept = this.request.headers.accept?.toLowerCase()
    if (accept?.includes(linesType) !== true) return false
    return accepts({ headers: { accept } } as IncomingMessage).type(['application/json', linesType]) === linesType
  }

  /** The key of the response cache: one for each representation of a target. */
  get cacheKey(): string {
    const { url = '' } = this.request
    return this.wantsLines ? `lines of ${url}` : url
  }

  addUnreadable(directory: Tree.Unreadable): void {
    this.unreadable ??= { count: 0, first: directory }
    this.unreadable.count += 1
  }
}
