import * as t from 'io-ts'

/** The errors of the interface, part 7, in its own words. */
export interface InvalidToken {
  readonly error: 'invalid token'
}
export interface NotVerified {
  readonly error: 'not verified'
}
export interface PermissionDenied {
  readonly error: 'permission denied'
}
export interface FileNotFound {
  readonly error: 'file not found'
}
export interface TypeMismatch {
  readonly error: 'type mismatch'
}
/** The storage or the registry failed. The cause is for the operator's log and never part of an answer. */
export interface External {
  readonly error: 'external'
  readonly cause: unknown
}
export interface TriggerNotFound {
  readonly error: 'trigger not found'
}

export type Failure =
  | InvalidToken
  | NotVerified
  | PermissionDenied
  | FileNotFound
  | TypeMismatch
  | External
  | TriggerNotFound

export type FailureName = Failure['error']

/** What a question to the storage may end in. */
export type OfStorage = FileNotFound | TypeMismatch | External

export const invalidToken: InvalidToken = { error: 'invalid token' }
export const notVerified: NotVerified = { error: 'not verified' }
export const permissionDenied: PermissionDenied = { error: 'permission denied' }
export const fileNotFound: FileNotFound = { error: 'file not found' }
export const typeMismatch: TypeMismatch = { error: 'type mismatch' }
export const triggerNotFound: TriggerNotFound = { error: 'trigger not found' }
export const external = (cause: unknown): External => ({ error: 'external', cause })

/** Exhaustive: a failure without a case does not compile. */
export const match =
  <A>(cases: { readonly [Name in FailureName]: (failure: Extract<Failure, { readonly error: Name }>) => A }) =>
  (failure: Failure): A =>
    (cases[failure.error] as (failure: Failure) => A)(failure)

const names: { readonly [Name in FailureName]: null } = {
  'invalid token': null,
  'not verified': null,
  'permission denied': null,
  'file not found': null,
  'type mismatch': null,
  external: null,
  'trigger not found': null,
}

export const nameCodec: t.Type<FailureName, FailureName, unknown> = t.keyof(names, 'FailureName')
