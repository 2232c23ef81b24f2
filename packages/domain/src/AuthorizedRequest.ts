import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import * as Failure from './Failure.js'
import type { Signal } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'
import type { NodeVisibility } from './Visibility.js'

/** What the registry allowed at one moment. */
export interface Access {
  readonly view: View
  /** The visibility of the requested path. */
  readonly visibility: NodeVisibility
}

/** A request that the registry has allowed. */
export interface AuthorizedRequest<F extends Failure.OfAccess> {
  readonly requested: StoragePath.RequestedPath
  readonly signal?: Signal | undefined
  readonly access: Access
  /** Reads the grant or the account, and the settings. Returns the same request again if access has not changed since. */
  readonly authorizeAgain: TE.TaskEither<F | Failure.External, AuthorizedRequest<F>>
  /** Fails with the failure that the client may see, given the storage's failure at the requested path. */
  readonly reject: (failure: Failure.OfStorage) => TE.TaskEither<F | Failure.OfStorage, never>
}

/** Ends an answer that has begun to show a directory. */
export const noLongerShown = Failure.external(new Error('a directory became invisible while it was being read: retry'))

/**
 * Returns the visibility of the requested path, or of a path below it, by the access of the request:
 *
 * - some: the client may see it;
 * - none: the path is no longer shown; an answer that has no part of it omits it;
 * - left: a directory between the requested path and this one is no longer shown, and a part of it may have been sent.
 *
 * The authorization has judged the requested path itself.
 */
export const visibilityNow = (
  { requested, access: { view } }: Pick<AuthorizedRequest<never>, 'requested' | 'access'>,
  path: StoragePath.StoragePath,
): E.Either<Failure.External, O.Option<NodeVisibility>> => {
  const steps = Settings.stepsTo(view.settings, path)
  const below = steps.slice(StoragePath.segments(requested.path).length + 1)
  const withheld = below.findIndex(({ visibility }) => !view.shows(visibility))
  if (withheld === -1) return E.right(O.some(RNEA.last(steps).visibility))
  return withheld === below.length - 1 ? E.right(O.none) : E.left(noLongerShown)
}
