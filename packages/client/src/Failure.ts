import type { Failure } from '@canopy/domain'

/** Each name alone, as `{ error: name }`: what the domain has, without the cause of `external`, which is never sent. */
type Named<Name extends Failure.FailureName> = Name extends Failure.FailureName ? { readonly error: Name } : never

// The columns of the interface, part 7.

export const ofStorage = [
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
] as const

export const ofUserContent = ['permission denied', 'file not found', 'type mismatch', 'external'] as const

export const ofTriggers = ['external', 'trigger not found'] as const

export type StorageFailure = Named<(typeof ofStorage)[number]>
export type UserContentFailure = Named<(typeof ofUserContent)[number]>
export type TriggerFailure = Named<(typeof ofTriggers)[number]>
export type AnyFailure = StorageFailure | UserContentFailure | TriggerFailure

/** The HTTP status that comes with each name. */
export const statusOf: { readonly [Name in Failure.FailureName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
}
