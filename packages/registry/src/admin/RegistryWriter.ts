import type {
  AccessToken,
  Area,
  Failure,
  Settings,
  StoragePath,
  TriggerId,
  TriggerValue,
  U64,
  UserId,
  Visibility,
} from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** What the registry knows of an account. */
export interface Account {
  readonly id: UserId.UserId
  readonly name: O.Option<string>
  readonly verified: boolean
  readonly location: Area.AreaLocation
  /** Something was mounted on its directory when that was given to it. */
  readonly isMountPoint: boolean
  /** Canopy made its directory. Of an account that is older than this record it is not known, and false. */
  readonly areaMade: boolean
}

/** What of an account can change. */
export type AccountChange = Partial<Omit<Account, 'id'>>

export interface NewAccount {
  readonly id: UserId.UserId
  readonly name: O.Option<string>
  readonly verified: boolean
  /** `none` names the area by the account's id. */
  readonly location: O.Option<Area.AreaLocation>
}

/** A token as the registry keeps it: everything but the token. */
export interface TokenRecord {
  /** The first 16 hexadecimal digits of the token's SHA-256: enough to name it, useless to open anything. */
  readonly tokenId: string
  readonly account: UserId.UserId
  readonly scope: StoragePath.StoragePath
  /** Unix time in seconds: the first second in which the token no longer opens anything. */
  readonly expires: O.Option<U64.U64>
  readonly label: O.Option<string>
}

export interface NewToken extends Omit<TokenRecord, 'tokenId'> {
  /** Only its hash is kept. */
  readonly token: AccessToken.AccessToken
}

export interface TriggerRecord {
  readonly id: TriggerId.TriggerId
  readonly value: TriggerValue.TriggerValue
  /** Unix time in seconds: the first second in which the trigger is no longer found. */
  readonly expires: O.Option<U64.U64>
}

/** A trigger that Canopy cannot read, because somebody else wrote it: peeking it answers `external`. */
export interface BrokenTrigger {
  readonly id: string
  /** Names columns, not what they hold. */
  readonly cause: unknown
}

export type StoredTrigger = E.Either<BrokenTrigger, TriggerRecord>

/** Why a change was refused; `external` when the registry itself failed. */
export type Refusal =
  | { readonly error: 'account exists'; readonly id: UserId.UserId }
  | { readonly error: 'no such account'; readonly id: UserId.UserId }
  | { readonly error: 'no such token' }
  | { readonly error: 'no such setting'; readonly path: StoragePath.StoragePath }
  | { readonly error: 'trigger exists'; readonly id: TriggerId.TriggerId }
  | { readonly error: 'no such trigger'; readonly id: TriggerId.TriggerId }
  | Failure.External

/** Why a change was refused, by name. */
export type Refused<Name extends Refusal['error']> = Extract<Refusal, { readonly error: Name }>

/** The writing side of the registry, for operators. Each change is whole or not made, and seen by the next request. */
export interface RegistryWriter {
  /** The migrations that were run when it was opened: all of them where it was made just then. */
  readonly migrated: ReadonlyArray<string>
  readonly accounts: {
    readonly create: (account: NewAccount) => TE.TaskEither<Refused<'account exists' | 'external'>, Account>
    /** By id, ascending. */
    readonly all: TE.TaskEither<Failure.External, ReadonlyArray<Account>>
    readonly find: (id: UserId.UserId) => TE.TaskEither<Refused<'no such account' | 'external'>, Account>
    readonly update: (
      id: UserId.UserId,
      change: AccountChange,
    ) => TE.TaskEither<Refused<'no such account' | 'external'>, Account>
    /** With its tokens and settings. What is in its area stays. */
    readonly delete: (id: UserId.UserId) => TE.TaskEither<Refused<'no such account' | 'external'>, Account>
  }
  readonly tokens: {
    readonly add: (token: NewToken) => TE.TaskEither<Refused<'no such account' | 'external'>, TokenRecord>
    readonly of: (
      id: UserId.UserId,
    ) => TE.TaskEither<Refused<'no such account' | 'external'>, ReadonlyArray<TokenRecord>>
    /** By the token itself or by its `tokenId`. The registry forgets it. */
    readonly revoke: (tokenOrId: string) => TE.TaskEither<Refused<'no such token' | 'external'>, TokenRecord>
  }
  readonly settings: {
    readonly of: (id: UserId.UserId) => TE.TaskEither<Refused<'no such account' | 'external'>, Settings.Settings>
    readonly set: (
      id: UserId.UserId,
      path: StoragePath.StoragePath,
      visibility: Visibility.Visibility,
    ) => TE.TaskEither<Refused<'no such account' | 'external'>, void>
    readonly remove: (
      id: UserId.UserId,
      path: StoragePath.StoragePath,
    ) => TE.TaskEither<Refused<'no such account' | 'no such setting' | 'external'>, void>
  }
  readonly triggers: {
    readonly create: (trigger: TriggerRecord) => TE.TaskEither<Refused<'trigger exists' | 'external'>, TriggerRecord>
    /** By id, in byte order. */
    readonly all: TE.TaskEither<Failure.External, ReadonlyArray<StoredTrigger>>
    /** Also one that is broken. */
    readonly delete: (id: TriggerId.TriggerId) => TE.TaskEither<Refused<'no such trigger' | 'external'>, StoredTrigger>
  }
  readonly close: T.Task<void>
}
