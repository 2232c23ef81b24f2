import type { Failure } from '@canopy/domain'

/** The query parameters that an operation knows. */
export type QueryParameter = 'depth' | 'limit' | 'after'

export interface BadRequest {
  readonly error: 'bad request'
  readonly status: 400 | 408 | 431
  /** The query parameter that is malformed, where it is one. */
  readonly parameter?: QueryParameter
}

export const badRequest: BadRequest = { error: 'bad request', status: 400 }
export const malformed = (parameter: QueryParameter): BadRequest => ({ ...badRequest, parameter })
export const headTooLarge: BadRequest = { error: 'bad request', status: 431 }
export const headTooLate: BadRequest = { error: 'bad request', status: 408 }

/** Too many failed look-ups of tokens or trigger ids. */
export const tooManyRequests = (retryAfterSeconds: number) =>
  ({ error: 'too many requests', retryAfterSeconds }) as const

export const noSuchRoute = { error: 'no such route' } as const
export const methodNotAllowed = { error: 'method not allowed' } as const
export const overloaded = { error: 'overloaded' } as const

/** A failure of an operation, or what lies outside the five, with names of the service's own. */
export type Refusal =
  | Failure.Failure
  | BadRequest
  | ReturnType<typeof tooManyRequests>
  | typeof noSuchRoute
  | typeof methodNotAllowed
  | typeof overloaded
export type RefusalName = Refusal['error']
