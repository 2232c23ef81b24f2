import type { Listing } from './Listing.js'
import { onceFor } from './onceFor.js'
import type { Settings } from './Settings.js'
import type * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

/**
 * What is derived from a listing for one way of seeing it, derived once for as long as the listing lives: the same value
 * for the same listing, settings and asker, so that more can be remembered by its identity.
 */
export const onceForAsker = <A>(derive: (view: View, path: StoragePath.StoragePath, listing: Listing) => A) => {
  /** For each way of seeing, the value at each path that has this listing: one, as a rule. */
  type OfAsker = Map<View['shows'], Map<StoragePath.StoragePath, A>>
  const derived = onceFor<Listing, WeakMap<Settings, OfAsker>>(() => new WeakMap())

  const knownOf = ({ settings, shows }: View, listing: Listing): Map<StoragePath.StoragePath, A> => {
    const ofSettings = derived(listing)
    const ofAsker: OfAsker = ofSettings.get(settings) ?? new Map()
    ofSettings.set(settings, ofAsker)
    const known = ofAsker.get(shows) ?? new Map<StoragePath.StoragePath, A>()
    ofAsker.set(shows, known)
    return known
  }

  return (view: View, path: StoragePath.StoragePath) =>
    (listing: Listing): A => {
      const known = knownOf(view, listing)
      const value = known.get(path) ?? derive(view, path, listing)
      known.set(path, value)
      return value
    }
}
