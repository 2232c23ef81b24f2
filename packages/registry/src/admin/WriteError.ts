import type { Failure, NamePattern, StoragePath, TriggerId, UserId } from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** `external`: the registry itself failed. */
export type WriteError =
  | { readonly error: 'account exists'; readonly id: UserId.UserId }
  | { readonly error: 'no such account'; readonly id: UserId.UserId }
  | { readonly error: 'no such token' }
  | { readonly error: 'no such setting'; readonly account: UserId.UserId; readonly path: StoragePath.StoragePath }
  | { readonly error: 'no such rule'; readonly account: UserId.UserId; readonly pattern: NamePattern.NamePattern }
  /** The rules of the account, or their patterns, would exceed the bounds of `Rules`. */
  | { readonly error: 'too many rules'; readonly account: UserId.UserId }
  | { readonly error: 'trigger exists'; readonly id: TriggerId.TriggerId }
  | { readonly error: 'no such trigger'; readonly id: TriggerId.TriggerId }
  | Failure.External

export type Named<Name extends WriteError['error']> = Extract<WriteError, { readonly error: Name | 'external' }>

export type Result<A, Name extends WriteError['error'] = never> = TE.TaskEither<Named<Name>, A>
