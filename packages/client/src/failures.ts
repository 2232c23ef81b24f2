// Every failure of a call: one union, discriminated by `error`.

// Error names by operation, as in docs/http-api.md.

export const storageErrors = [
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
] as const
export const userContentErrors = ['permission denied', 'file not found', 'type mismatch', 'external'] as const
/** Of files and archives. */
export const fileErrors = [...storageErrors, 'too large'] as const
export const triggerErrors = ['trigger not found', 'external'] as const

/** A union with one member for each name: `{ error: 'file not found' }`. */
type Named<Name extends string> = Name extends string ? { readonly error: Name } : never

/** An invalid token, user id, path, name, trigger id, bound or option. The client sends no request. */
export interface MalformedInput {
  readonly error: 'malformed input'
  /** Describes a valid value. It never repeats the given one. */
  readonly message: string
}
/** The service does not understand the request. */
export interface BadRequest {
  readonly error: 'bad request'
  /** The query parameter that the service names, if it names one. */
  readonly parameter: 'depth' | 'limit' | 'after' | 'name' | undefined
}
/** Too many requests from this client or its address. */
export interface TooManyRequests {
  readonly error: 'too many requests'
  /** Seconds until the next attempt; 0 if the service does not say. */
  readonly retryAfter: number
}
/** The service is at its limit. */
export interface Overloaded {
  readonly error: 'overloaded'
  /** Seconds until the next attempt; 0 if the service does not say. */
  readonly retryAfter: number
}
/** The response never began: unknown host, connection refused or reset, TLS, or CORS in a browser. */
export interface NoResponse {
  readonly error: 'no response'
  /** The system's code, such as `ECONNREFUSED`, or else the class of the error, such as `TypeError`. Never a message. */
  readonly code: string
}
/** The response began and did not end: the connection was lost or cut. */
export interface IncompleteResponse {
  readonly error: 'incomplete response'
}
/** A response with status 200 that does not have the form of the interface. */
export interface MalformedResponse {
  readonly error: 'malformed response'
  /** The first wrong part: a field such as `content.0.size`, the header `Link`, or `body` if it is not JSON. */
  readonly part: string
}
/** A status that does not belong to the operation: a wrong base URL, a redirect, or a proxy before the service. */
export interface UnexpectedResponse {
  readonly error: 'unexpected response'
  /** 0 for a redirect in a browser, which hides its status. */
  readonly status: number
}
/** No complete response arrived in time, including retries. */
export interface TimedOut {
  readonly error: 'timed out'
  readonly timeoutMs: number
}
/** The caller's AbortSignal ended the call. */
export interface Aborted {
  readonly error: 'aborted'
}

/** The failures that all operations share. */
export type CallFailure =
  | MalformedInput
  | BadRequest
  | TooManyRequests
  | Overloaded
  | NoResponse
  | IncompleteResponse
  | MalformedResponse
  | UnexpectedResponse
  | TimedOut
  | Aborted

/** The failures of `storageTree` and `storageDirItems`. */
export type StorageFailure = Named<(typeof storageErrors)[number]> | CallFailure
/** The failures of `userContentTree` and `userContentDirItems`. */
export type UserContentFailure = Named<(typeof userContentErrors)[number]> | CallFailure
/** The failures of `file`. */
export type FileFailure = Named<(typeof fileErrors)[number]> | CallFailure
/** The failures of `triggerPeek`. */
export type TriggerFailure = Named<(typeof triggerErrors)[number]> | CallFailure
/** The failures of all operations. */
export type Failure = StorageFailure | UserContentFailure | TriggerFailure | FileFailure

/** Describes a failure to people in one sentence, without URL, token or trigger id. */
export const formatFailure = (failure: Failure): string => {
  switch (failure.error) {
    case 'malformed input':
      return failure.message
    case 'bad request':
      return failure.parameter === undefined ? failure.error : `bad request: the parameter ${failure.parameter}`
    case 'too many requests':
    case 'overloaded':
      return failure.retryAfter === 0 ? failure.error : `${failure.error}: try again in ${failure.retryAfter} s`
    case 'no response':
      return `no response (${failure.code})`
    case 'incomplete response':
      return 'the response ended too early'
    case 'malformed response':
      return `the response does not have the form of the interface: ${failure.part}`
    case 'unexpected response':
      return failure.status < 400 || failure.status === 404 || failure.status === 405
        ? `unexpected response (${failure.status}): check the base URL`
        : `unexpected response (${failure.status})`
    case 'timed out':
      return `no complete response within ${failure.timeoutMs} ms`
    case 'aborted':
      return 'the call was aborted'
    case 'invalid token':
    case 'not verified':
    case 'permission denied':
    case 'file not found':
    case 'type mismatch':
    case 'trigger not found':
    case 'too large':
    case 'external':
      return failure.error
  }
}

/** The only error of the client. Its message is a sentence for people; programs read `failure`. */
export class CanopyError<F extends Failure = Failure> extends Error {
  override readonly name = 'CanopyError'
  readonly failure: F

  constructor(failure: F) {
    super(formatFailure(failure))
    this.failure = failure
  }
}

declare const failureType: unique symbol

/** A promise that rejects with a `CanopyError<F>`, which the type of a plain promise cannot express. */
export interface Call<A, F extends Failure> extends Promise<A> {
  readonly [failureType]?: F
}

/** `'failure' in result` tells failures from values. */
export type Result<A, F extends Failure> = { readonly value: A } | { readonly failure: F }

/** For handlers of errors: rethrows errors other than CanopyError. */
export const canopyErrorOf = (thrown: unknown): CanopyError => {
  if (thrown instanceof CanopyError) return thrown
  throw thrown
}

/** Awaits a call and returns its failure as a value of its exact type. Rethrows errors other than CanopyError. */
export const toResult = async <A, F extends Failure>(call: Call<A, F>): Promise<Result<A, F>> => {
  try {
    return { value: await call }
  } catch (thrown) {
    return { failure: canopyErrorOf(thrown).failure as F }
  }
}
