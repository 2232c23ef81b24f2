import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
import type { Name } from './Name.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

const isShown = (view: View, directory: StoragePath.StoragePath): ((name: Name) => boolean) => {
  const inherited = Settings.visibilityAt(view.settings, directory)
  return (name) =>
    pipe(
      StoragePath.child(directory, name),
      O.exists((path) => view.shows(Settings.visibilityOfChild(view.settings, inherited, path))),
    )
}

/** A listing, if all that it would show to the asker is known: an answer is whole, or it is a failure. */
export const wholeFor =
  (view: View, directory: StoragePath.StoragePath) =>
  (listing: Listing): E.Either<Failure.External, Listing> =>
    listing.unknown?.names.some(isShown(view, directory)) === true
      ? E.left(Failure.external(listing.unknown.cause))
      : E.right(listing)
