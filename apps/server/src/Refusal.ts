import type { Failure } from '@canopy/domain'

/** What lies outside the five operations, with names of the service's own. */
export interface NoSuchRoute {
  readonly error: 'no such route'
}
export interface MethodNotAllowed {
  readonly error: 'method not allowed'
}
export interface BadRequest {
  readonly error: 'bad request'
}

export type Refusal = Failure.Failure | NoSuchRoute | MethodNotAllowed | BadRequest
export type RefusalName = Refusal['error']

export const noSuchRoute: NoSuchRoute = { error: 'no such route' }
export const methodNotAllowed: MethodNotAllowed = { error: 'method not allowed' }
export const badRequest: BadRequest = { error: 'bad request' }
