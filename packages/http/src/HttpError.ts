import { Envelope, type Failure } from '@canopy/domain'
import { allowedMethods, type Headers } from './responseHeaders.js'

/** The query parameters of the operations and of files. */
export type QueryParameter = 'depth' | 'limit' | 'after' | 'name' | 'zip'

export interface BadRequest {
  readonly error: 'bad request'
  readonly status: 400 | 408 | 416 | 431
  /** Set if a query parameter is malformed. */
  readonly parameter?: QueryParameter
  /** Set if the requested range is beyond the end of a file of this many bytes. */
  readonly size?: bigint
}

export interface TooManyRequests {
  readonly error: 'too many requests'
  readonly retryAfterSeconds: number
}

/** An error response: the failure of an operation, or an error outside the operations. */
export type HttpError =
  | Failure.Failure
  | BadRequest
  | TooManyRequests
  | typeof tooLarge
  | typeof noSuchRoute
  | typeof methodNotAllowed
  | typeof overloaded

/** The name of an error on the wire. */
export type HttpErrorName = HttpError['error']

// constructors

export const badRequest: BadRequest = { error: 'bad request', status: 400 }
export const malformed = (parameter: QueryParameter): BadRequest => ({ ...badRequest, parameter })
export const headTooLarge: BadRequest = { error: 'bad request', status: 431 }
export const headTooLate: BadRequest = { error: 'bad request', status: 408 }
export const rangeNotSatisfiable = (size: bigint): BadRequest => ({ error: 'bad request', status: 416, size })
/** An archive would have more nodes than the server allows. */
export const tooLarge = { error: 'too large' } as const
export const noSuchRoute = { error: 'no such route' } as const
export const methodNotAllowed = { error: 'method not allowed' } as const
export const overloaded = { error: 'overloaded' } as const
export const tooManyRequests = (retryAfterSeconds: number): TooManyRequests => ({
  error: 'too many requests',
  retryAfterSeconds,
})

// responses

export const statuses: { readonly [Name in HttpErrorName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
  'no such route': 404,
  'method not allowed': 405,
  'bad request': 400,
  'too large': 413,
  'too many requests': 429,
  overloaded: 503,
}

export interface ErrorResponse {
  readonly status: number
  /** Without the headers of {@link everyResponse}. */
  readonly headers: Headers
  /** The JSON of the envelope. */
  readonly body: string
}

const ownHeaders: { readonly [Name in HttpErrorName]?: Headers } = {
  'invalid token': { 'WWW-Authenticate': 'PathToken' },
  'method not allowed': { Allow: allowedMethods },
  overloaded: { 'Retry-After': '1' },
}

const responseTo = (name: HttpErrorName, body = Envelope.errorJson(name)): ErrorResponse => ({
  status: statuses[name],
  headers: { 'Cache-Control': 'no-store', ...ownHeaders[name] },
  body,
})

const responses = Object.fromEntries(
  Object.keys(statuses).map((name) => [name, responseTo(name as HttpErrorName)]),
) as { readonly [Name in HttpErrorName]: ErrorResponse }

const malformedResponse = (parameter: QueryParameter): ErrorResponse =>
  responseTo('bad request', JSON.stringify({ type: 'error', error: 'bad request', parameter }))

const malformedResponses: { readonly [Parameter in QueryParameter]: ErrorResponse } = {
  depth: malformedResponse('depth'),
  limit: malformedResponse('limit'),
  after: malformedResponse('after'),
  name: malformedResponse('name'),
  zip: malformedResponse('zip'),
}

/**
 * Returns the response to an error. Its bytes are constant for each name, so they do not reveal the cause. A bad request adds
 * its status, its malformed parameter or the size of its file, and too many requests add the seconds to wait.
 */
export const toResponse = (error: HttpError): ErrorResponse => {
  const response = responses[error.error]
  if (error.error === 'too many requests')
    return { ...response, headers: { ...response.headers, 'Retry-After': `${error.retryAfterSeconds}` } }
  if (error.error !== 'bad request') return response
  if (error.parameter !== undefined) return malformedResponses[error.parameter]
  if (error.status === response.status) return response
  const range: Headers = error.size === undefined ? {} : { 'Content-Range': `bytes */${error.size}` }
  return { ...response, status: error.status, headers: { ...response.headers, ...range } }
}
