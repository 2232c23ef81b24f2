import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AccessToken } from './AccessToken.js'
import type { Area, Grant } from './Area.js'
import type { Node } from './Entry.js'
import type { External, InvalidToken, NotVerified, OfStorage, PermissionDenied, TriggerNotFound } from './Failure.js'
import type { Listing } from './Listing.js'
import type { Settings } from './Settings.js'
import type { StoragePath } from './StoragePath.js'
import type { TriggerId } from './TriggerId.js'
import type { TriggerValue } from './TriggerValue.js'
import type { U64 } from './U64.js'
import type { UserId } from './UserId.js'

// The ports of the operations. Adapters implement them; each program infers which of them it needs. A call starts when its task
// runs. It always settles, and never rejects. Its result must be true of a moment after the call began, because an older one could
// contain entries that a setting, made before the call, hides. Only `list` with `parent` or `previous` may return an older one.

export interface AreaOfTokenEnv {
  /**
   * Returns the part of an area that a token opens now. Unknown, expired and revoked tokens share one failure; the valid token
   * of an unverified account has another.
   */
  readonly areaOfToken: (token: AccessToken) => TE.TaskEither<InvalidToken | NotVerified | External, Grant>
}

export interface AreaOfUserEnv {
  /** Returns the current area of a verified account. Unknown and unverified accounts share one failure. */
  readonly areaOfUser: (user: UserId) => TE.TaskEither<PermissionDenied | External, Area>
}

export interface SettingsOfEnv {
  /**
   * Returns all current settings of an account's area as one immutable value; no settings for an unknown account. Return the
   * same object until a setting changes, because a new object makes the domain ask the storage again and repeat its decisions.
   */
  readonly settingsOf: (owner: UserId) => TE.TaskEither<External, Settings>
}

export interface NodeAtEnv {
  /**
   * Returns the file or directory at a path. `type mismatch` if the path runs through a file; `file not found` if the path
   * names neither a file nor a directory; `external` if the root of the area is missing.
   */
  readonly nodeAt: (
    area: Area,
    path: StoragePath,
    options?: { readonly signal?: Signal | undefined },
  ) => TE.TaskEither<OfStorage, Node>
}

/** Reports that the client has left. An `AbortSignal` is one. */
export interface Signal {
  readonly aborted: boolean
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

export interface ListOptions {
  /** Only entries whose names follow this text in byte order; it need not be the name of an entry. */
  readonly after?: string | undefined
  /** The page has at least this many of those entries, or all. Without it the adapter chooses the size. */
  readonly minEntries?: number | undefined
  /**
   * The page that ends at `after`, the very object that the port returned. An adapter may continue from that page instead
   * of searching for `after`.
   */
  readonly previous?: Listing | undefined
  /**
   * The page that has this directory as an entry: the same object that `list` returned, so it can be the key of what the adapter
   * has read ahead. {@link Listing.noParent} where the walk of a tree begins. Absent outside a tree, with a depth limit, and if
   * settings or rules withhold something below the directory: then the adapter must not read ahead.
   */
  readonly parent?: Listing | undefined
  /** The adapter may stop when the signal aborts; the result is then ignored. */
  readonly signal?: Signal | undefined
}

export interface ListEnv {
  /**
   * Returns a page of a directory, regardless of who may see its entries. A page may also contain entries up to `after`, which
   * the caller skips, so that an adapter that has the whole directory can return it as one page. `type mismatch` if the path is
   * a file or runs through one; `file not found` and `external` as for `nodeAt`; `external` also if the directory cannot be
   * listed. The page omits an entry that vanishes during the call, has an entry that cannot be examined in `unknown`, counts a name
   * that is not UTF-8 in `unlistable`, and contains all other entries.
   *
   * With `parent` or `previous`, the page may be older than the call, because the adapter read ahead.
   */
  readonly list: (area: Area, path: StoragePath, options?: ListOptions) => TE.TaskEither<OfStorage, Listing>
}

/** A file that is open for reading. Every fact is of the open file, whatever its path names now. */
export interface OpenedFile {
  /** In bytes. */
  readonly size: bigint
  /** Unix time in whole seconds, rounded down, at least 0. */
  readonly last_modified: U64
  /** Opaque, of URL-safe characters. It differs whenever the bytes may differ. For an `ETag`. */
  readonly version: string
  /**
   * Returns the bytes from `start` up to, not including, `end`, which is at most `size`, in chunks. Reads a chunk when the
   * consumer asks for it. Throws the cause of a failure, for example because the file became shorter: the bytes are never
   * padded, and never those of a file that replaced this one. A program that writes into the file may mix its bytes.
   */
  readonly bytes: (start: bigint, end: bigint) => AsyncIterable<Uint8Array>
  /** Releases the file, and ends its readings early. May be called more than once; never rejects. */
  readonly close: () => Promise<void>
}

export interface OpenFileEnv {
  /**
   * Opens a file and never follows a link. `type mismatch` if the path is a directory or runs through a file; otherwise fails
   * as `nodeAt`, and with `external` if the file cannot be read. Whoever gets the file closes it, even if it comes too late.
   */
  readonly openFile: (
    area: Area,
    path: StoragePath,
    options?: { readonly signal?: Signal | undefined },
  ) => TE.TaskEither<OfStorage, OpenedFile>
}

export interface TriggerOfEnv {
  /** Returns the value of a trigger, without firing it. Unknown, expired and deleted triggers share one failure. */
  readonly triggerOf: (id: TriggerId) => TE.TaskEither<TriggerNotFound | External, TriggerValue>
}
