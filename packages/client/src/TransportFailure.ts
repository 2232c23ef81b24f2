import type { Failure } from '@canopy/domain'

/** The names that the service has for what lies outside the five operations. */
export type RefusalName = 'bad request' | 'no such route' | 'method not allowed' | 'too many requests' | 'overloaded'

/** Why there is no answer of the operation. Holds no URL, no token and no trigger id. */
export type TransportFailure = Network | Aborted | TimedOut | CutOff | NotJson | WrongShape | UnexpectedAnswer

/** No answer began: no such host, refused, reset, TLS, or a browser's CORS. */
export interface Network {
  readonly error: 'transport'
  readonly reason: 'network'
  /** The system's code, such as `ECONNREFUSED`, where there is one. */
  readonly code?: string
}
/** The caller's AbortSignal said so. */
export interface Aborted {
  readonly error: 'transport'
  readonly reason: 'aborted'
}
/** No whole answer in time, with all the retries and waits that there was time for. */
export interface TimedOut {
  readonly error: 'transport'
  readonly reason: 'timeout'
  /** How long the call might take, in milliseconds. */
  readonly timeoutMs: number
}
/** The answer began and did not end: also how the service says that a large tree failed half-way. */
export interface CutOff {
  readonly error: 'transport'
  readonly reason: 'cut off'
  /** Of the answer that began. */
  readonly status: number
}
/** A whole answer of status 200 that is no JSON, or not UTF-8: often of a proxy. */
export interface NotJson {
  readonly error: 'transport'
  readonly reason: 'not JSON'
  readonly status: number
}
/** A whole answer of status 200 that is JSON, and not what the interface says; or nested too deeply to be read. */
export interface WrongShape {
  readonly error: 'transport'
  readonly reason: 'wrong shape'
  readonly status: number
  /** Where the first thing wrong stands: `content.size`, or `Link` for the header. */
  readonly field: string
}
/** Neither 200 nor a failure of this operation: a refusal of the service, or the answer of something before it. */
export interface UnexpectedAnswer {
  readonly error: 'transport'
  readonly reason: 'unexpected answer'
  /** 0 for a redirect in a browser, which does not tell its status. */
  readonly status: number
  /** Of the answer's own error name, where it is one that the API has. */
  readonly name?: RefusalName | Failure.FailureName
  /** What `Retry-After` asked for. */
  readonly retryAfterSeconds?: number
}

/** Makes one: no answer began. */
export const network = (code?: string): Network => ({
  error: 'transport',
  reason: 'network',
  ...(code === undefined ? {} : { code }),
})
/** The one value of it. */
export const aborted: Aborted = { error: 'transport', reason: 'aborted' }
/** Makes one, of a call that might take so many milliseconds. */
export const timedOut = (timeoutMs: number): TimedOut => ({ error: 'transport', reason: 'timeout', timeoutMs })
/** Makes one, of the status that had come. */
export const cutOff = (status: number): CutOff => ({ error: 'transport', reason: 'cut off', status })
/** Makes one, of the answer's status. */
export const notJson = (status: number): NotJson => ({ error: 'transport', reason: 'not JSON', status })
/** Makes one, of the answer's status and of where the first thing wrong stands. */
export const wrongShape = (status: number, field: string): WrongShape => ({
  error: 'transport',
  reason: 'wrong shape',
  status,
  field,
})

const advice: { readonly [Name in RefusalName]?: string } = {
  'bad request': '; depth is a whole number from 0, limit one from 1',
  'no such route': '; is the base URL right?',
}

/** 304 leads nowhere: it is for whoever keeps an older answer, which this client does not. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400 && status !== 304)

const named = ({ status, name }: UnexpectedAnswer): string =>
  isRedirect(status)
    ? 'a redirect; is the base URL right?'
    : name === undefined
      ? `${status}`
      : `${status} ${name}${name in advice ? advice[name as RefusalName] : ''}`

/** A sentence for people. */
export const message = (failure: TransportFailure): string => {
  switch (failure.reason) {
    case 'network':
      return `no answer came${failure.code === undefined ? '' : ` (${failure.code})`}`
    case 'aborted':
      return 'the call was aborted'
    case 'timeout':
      return `no whole answer came within ${failure.timeoutMs} ms`
    case 'cut off':
      return 'the answer was cut off before its end'
    case 'not JSON':
      return `the answer (${failure.status}) is not JSON`
    case 'wrong shape':
      return `the answer does not have the shape of the interface: ${failure.field}`
    case 'unexpected answer':
      return `unexpected answer: ${named(failure)}`
  }
}
