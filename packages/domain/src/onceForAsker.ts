import type { Listing } from './Entry.js'
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
  const ofAsker = () => onceFor<View['shows'], Map<StoragePath.StoragePath, A>>(() => new Map())
  const ofSettings = () => onceFor<Settings, ReturnType<typeof ofAsker>>(ofAsker)
  const derived = onceFor<Listing, ReturnType<typeof ofSettings>>(ofSettings)

  return (view: View, path: StoragePath.StoragePath) =>
    (listing: Listing): A => {
      const known = derived(listing)(view.settings)(view.shows)
      const value = known.get(path) ?? derive(view, path, listing)
      known.set(path, value)
      return value
    }
}
