import type { Failure } from '@canopy/domain'

/** What lies outside the five operations, with names of the service's own. */
interface NoSuchRoute {
  readonly error: 'no such route'
}
interface MethodNotAllowed {
  readonly error: 'method not allowed'
}
/** The query parameters that an operation knows. */
export type QueryParameter = 'depth' | 'limit' | 'after'

export interface BadRequest {
  readonly error: 'bad request'
  readonly status: 400 | 408 | 431
  /** The query parameter that is malformed, where it is one. */
  readonly parameter?: QueryParameter
}

/** Too many failed look-ups of tokens or trigger ids. */
interface TooManyRequests {
  readonly error: 'too many requests'
  readonly retryAfterSeconds: number
}
interface Overloaded {
  readonly error: 'overloaded'
}

export type Refusal = Failure.Failure | NoSuchRoute | MethodNotAllowed | BadRequest | TooManyRequests | Overloaded
export type RefusalName = Refusal['error']

export const noSuchRoute: NoSuchRoute = { error: 'no such route' }
export const methodNotAllowed: MethodNotAllowed = { error: 'method not allowed' }
export const badRequest: BadRequest = { error: 'bad request', status: 400 }
export const malformed = (parameter: QueryParameter): BadRequest => ({ ...badRequest, parameter })
export const headTooLarge: BadRequest = { error: 'bad request', status: 431 }
export const headTooLate: BadRequest = { error: 'bad request', status: 408 }
export const overloaded: Overloaded = { error: 'overloaded' }
export const tooManyRequests = (retryAfterSeconds: number): TooManyRequests => ({
  error: 'too many requests',
  retryAfterSeconds,
})
