import type { storageNames, triggerNames, userContentNames } from './answers.js'

// Every failure that a call can give: one union, whose discriminant is `error`.

/** Each name alone: `{ error: 'file not found' }`. */
type Named<Name extends string> = Name extends string ? { readonly error: Name } : never

/** The input is not a token, user id, path, name, trigger id, bound or option. The client sends nothing. */
export interface MalformedInput {
  readonly error: 'malformed input'
  /** Says what the value must look like. It never repeats the value. */
  readonly message: string
}
/** The service does not understand the request. */
export interface BadRequest {
  readonly error: 'bad request'
  /** The query parameter that the service names, if it names one. */
  readonly parameter: 'depth' | 'limit' | 'after' | undefined
}
/** This client, or its address, asks too often. */
export interface TooManyRequests {
  readonly error: 'too many requests'
  /** Seconds to wait before the next attempt; 0 if the answer does not say. */
  readonly retryAfter: number
}
/** The service has too much to do at the moment. */
export interface Overloaded {
  readonly error: 'overloaded'
  /** Seconds to wait before the next attempt; 0 if the answer does not say. */
  readonly retryAfter: number
}
/** No answer began: unknown host, connection refused or reset, TLS, or CORS in a browser. */
export interface NoAnswer {
  readonly error: 'no answer'
  /** The system's code, such as `ECONNREFUSED`, or else the class of the error, such as `TypeError`. Never a message. */
  readonly cause: string
}
/** The answer began and did not end: the connection was lost or cut. */
export interface IncompleteAnswer {
  readonly error: 'incomplete answer'
}
/** An answer with status 200 that does not have the form of the interface. */
export interface MalformedAnswer {
  readonly error: 'malformed answer'
  /** The first wrong part: a field such as `content.0.size`, the header `Link`, or `body` when it is not JSON. */
  readonly at: string
}
/** A status that does not belong to the operation: a wrong base URL, a redirect, or a proxy in front of the service. */
export interface UnexpectedAnswer {
  readonly error: 'unexpected answer'
  /** 0 for a redirect in a browser, which does not show its status. */
  readonly status: number
}
/** No complete answer came in time, with all retries. */
export interface TimedOut {
  readonly error: 'timed out'
  /** The limit, in milliseconds. */
  readonly timeoutMs: number
}
/** The caller's AbortSignal ended the call. */
export interface Aborted {
  readonly error: 'aborted'
}

/** What any call can fail with, whatever it asks for. */
export type CallFailure =
  | MalformedInput
  | BadRequest
  | TooManyRequests
  | Overloaded
  | NoAnswer
  | IncompleteAnswer
  | MalformedAnswer
  | UnexpectedAnswer
  | TimedOut
  | Aborted

/** What `storageTree` and `storageDirItems` can fail with. */
export type StorageFailure = Named<(typeof storageNames)[number]> | CallFailure
/** What `userContentTree` and `userContentDirItems` can fail with. */
export type UserContentFailure = Named<(typeof userContentNames)[number]> | CallFailure
/** What `triggerPeek` can fail with. */
export type TriggerFailure = Named<(typeof triggerNames)[number]> | CallFailure
/** What any operation can fail with. */
export type Failure = StorageFailure | UserContentFailure | TriggerFailure

/** One sentence for people. It holds no URL, no token and no trigger id. */
export const messageOf = (failure: Failure): string => {
  switch (failure.error) {
    case 'malformed input':
      return failure.message
    case 'bad request':
      return failure.parameter === undefined ? failure.error : `bad request: the parameter ${failure.parameter}`
    case 'too many requests':
    case 'overloaded':
      return failure.retryAfter === 0 ? failure.error : `${failure.error}: try again in ${failure.retryAfter} s`
    case 'no answer':
      return `no answer (${failure.cause})`
    case 'incomplete answer':
      return 'the answer ended too early'
    case 'malformed answer':
      return `the answer does not have the form of the interface: ${failure.at}`
    case 'unexpected answer':
      return failure.status < 400 || failure.status === 404 || failure.status === 405
        ? `unexpected answer (${failure.status}): check the base URL`
        : `unexpected answer (${failure.status})`
    case 'timed out':
      return `no complete answer within ${failure.timeoutMs} ms`
    case 'aborted':
      return 'the call was aborted'
    case 'invalid token':
    case 'not verified':
    case 'permission denied':
    case 'file not found':
    case 'type mismatch':
    case 'trigger not found':
    case 'external':
      return failure.error
  }
}

/** The one error that the client rejects with. `failure` says what happened; the message is a sentence for people. */
export class CanopyError<F extends Failure = Failure> extends Error {
  override readonly name = 'CanopyError'
  readonly failure: F

  constructor(failure: F) {
    super(messageOf(failure))
    this.failure = failure
  }
}

declare const failureType: unique symbol

/** A promise that rejects with a `CanopyError<F>`, which the type of a plain promise cannot say. */
export interface Call<A, F extends Failure> extends Promise<A> {
  readonly [failureType]?: F
}

/** `'failure' in result` is true for a failure alone. */
export type Result<A, F extends Failure> = { readonly value: A } | { readonly failure: F }

/** Waits for a call and gives its failure as a value of exactly its type. Rejects with anything that is no CanopyError. */
export const result = async <A, F extends Failure>(call: Call<A, F>): Promise<Result<A, F>> => {
  try {
    return { value: await call }
  } catch (thrown) {
    if (thrown instanceof CanopyError) return { failure: thrown.failure as F }
    throw thrown
  }
}
