import type { Failure } from '@canopy/domain'

/** Each name alone, as `{ error: name }`: what the domain has, without the cause of `external`, which is never sent. */
type Named<Name extends Failure.FailureName> = Name extends Failure.FailureName ? { readonly error: Name } : never

// The columns of the interface, part 7: what an operation may fail with.

/** Of `storageTree` and `storageDirItems`. */
export const storageColumn = [
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
] as const

/** Of `userContentTree` and `userContentDirItems`. */
export const userContentColumn = ['permission denied', 'file not found', 'type mismatch', 'external'] as const

/** Of `triggerPeek`. */
export const triggerColumn = ['external', 'trigger not found'] as const

/** What the service says instead of an answer to `storageTree` and `storageDirItems`. */
export type StorageFailure = Named<(typeof storageColumn)[number]>
/** What the service says instead of an answer to `userContentTree` and `userContentDirItems`. */
export type UserContentFailure = Named<(typeof userContentColumn)[number]>
/** What the service says instead of an answer to `triggerPeek`. */
export type TriggerFailure = Named<(typeof triggerColumn)[number]>
/** A failure of any operation, by its name in the interface, part 7. */
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
