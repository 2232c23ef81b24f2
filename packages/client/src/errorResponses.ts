import type { Failure } from './failures.js'
import type { HttpResponse } from './request.js'
import { decodeError } from './responses.js'

const statuses = {
  'invalid token': [401],
  'not verified': [403],
  'permission denied': [403],
  'file not found': [404],
  'type mismatch': [409],
  external: [502],
  'trigger not found': [404],
  'bad request': [400, 408, 431],
  'too many requests': [429],
  overloaded: [503],
} satisfies { readonly [Name in Failure['error']]?: ReadonlyArray<number> }

const errorNames = Object.keys(statuses) as ReadonlyArray<keyof typeof statuses>

const parameters = ['depth', 'limit', 'after'] as const

/**
 * Decodes a response other than 200 to an operation with these error names. A name counts only with its own status. Other
 * text of the response is dropped: it could repeat a secret.
 */
export const decodeFailure = (response: HttpResponse, names: ReadonlyArray<string>): Failure => {
  const { error, parameter } = decodeError(response)
  const { status, retryAfter } = response
  const known = errorNames.find((each) => each === error && statuses[each].includes(status))
  if (known === 'bad request') return { error: known, parameter: parameters.find((each) => each === parameter) }
  if (known === 'too many requests' || known === 'overloaded') return { error: known, retryAfter }
  return known !== undefined && names.includes(known) ? { error: known } : { error: 'unexpected response', status }
}
