import * as t from 'io-ts'

interface Named<Name extends string> {
  readonly error: Name
}

/** The token is malformed, unknown, expired or revoked; clients cannot tell which. */
export type InvalidToken = Named<'invalid token'>
/** The token is valid but its account is not verified. */
export type NotVerified = Named<'not verified'>
/** The path is outside the token's scope, a visitor may not reach it, or the user has no verified account. */
export type PermissionDenied = Named<'permission denied'>
/** The path names no node that the client may know of, or the text is not a path. */
export type FileNotFound = Named<'file not found'>
/** A file where the request requires a directory, or in the middle of the path. */
export type TypeMismatch = Named<'type mismatch'>
/** The storage or the registry failed. The cause is for the operator's log and never sent to a client. */
export interface External {
  readonly error: 'external'
  /** Usually an `Error`. */
  readonly cause: unknown
}
/** The trigger is unknown, expired or deleted, or the text is not an id. */
export type TriggerNotFound = Named<'trigger not found'>

/** All errors of the operations, spelled as in docs/http-api.md. */
export type Failure =
  | InvalidToken
  | NotVerified
  | PermissionDenied
  | FileNotFound
  | TypeMismatch
  | External
  | TriggerNotFound

/** The name of a failure on the wire. */
export type FailureName = Failure['error']

/** The failures of a storage port. */
export type OfStorage = FileNotFound | TypeMismatch | External

/** The failures of authorizing a request: a token or an account without access, or a failing registry. */
export type OfAccess = InvalidToken | NotVerified | PermissionDenied | External

// A failure without a cause has one value.

export const invalidToken: InvalidToken = { error: 'invalid token' }
export const notVerified: NotVerified = { error: 'not verified' }
export const permissionDenied: PermissionDenied = { error: 'permission denied' }
export const fileNotFound: FileNotFound = { error: 'file not found' }
export const typeMismatch: TypeMismatch = { error: 'type mismatch' }
export const triggerNotFound: TriggerNotFound = { error: 'trigger not found' }
/** Creates the failure of an adapter: `Failure.external(error)`. The cause is logged and never sent. */
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

/** Decodes the name of a failure (docs/http-api.md, Errors) and no other text. */
export const nameCodec: t.Type<FailureName, FailureName, unknown> = t.keyof(names, 'FailureName')
