import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AccessToken } from './AccessToken.js'
import type { Area, Grant } from './Area.js'
import type { External, InvalidToken, NotVerified, OfStorage, PermissionDenied, TriggerNotFound } from './Failure.js'
import type { Listing, Node } from './Listing.js'
import type { Settings } from './Settings.js'
import type { StoragePath } from './StoragePath.js'
import type { TriggerId } from './TriggerId.js'
import type { TriggerValue } from './TriggerValue.js'
import type { UserId } from './UserId.js'

// What an operation asks of the world. An adapter implements the interfaces; a program infers which of them it needs.

export interface AreaOfTokenEnv {
  /**
   * What a token opens now. Unknown, expired and revoked tokens are one failure; a valid token of an account that no
   * operator has verified is another.
   */
  readonly areaOfToken: (token: AccessToken) => TE.TaskEither<InvalidToken | NotVerified | External, Grant>
}

export interface AreaOfUserEnv {
  /** The area of a verified account. An unknown and an unverified account are one failure. */
  readonly areaOfUser: (user: UserId) => TE.TaskEither<PermissionDenied | External, Area>
}

export interface SettingsOfEnv {
  /** Every visibility set in the area of this account, as one immutable value; none for an unknown account. */
  readonly settingsOf: (owner: UserId) => TE.TaskEither<External, Settings>
}

export interface NodeAtEnv {
  /**
   * The file or directory at a path. `type mismatch` when the path runs through a file; `file not found` when nothing
   * is there, or something that is neither file nor directory; `external` when the area's own root is missing.
   */
  readonly nodeAt: (area: Area, path: StoragePath) => TE.TaskEither<OfStorage, Node>
}

export interface ListEnv {
  /**
   * Everything directly in a directory, visible or not. `type mismatch` when the path is a file or runs through
   * one; `file not found` and `external` as for `nodeAt`, and `external` when it may not be listed. An entry that vanishes
   * in the meantime is left out, one that cannot be looked at is named in `unknown`; a listing is otherwise whole, or it fails.
   * `parent` is given where a whole tree is walked: what this port gave for the parent directory, or {@link Listing.treeBegins}.
   * A storage that reads many directories by one question finds by it what it has read already; others ignore it.
   */
  readonly list: (area: Area, path: StoragePath, parent?: Listing) => TE.TaskEither<OfStorage, Listing>
}

export interface TriggerOfEnv {
  /** What a trigger holds. Never fires it and writes nothing. Unknown, expired and deleted are one failure. */
  readonly triggerOf: (id: TriggerId) => TE.TaskEither<TriggerNotFound | External, TriggerValue>
}
