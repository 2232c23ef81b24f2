import { useEffect, useState } from 'preact/hooks'
import { emptyListing, type Listing, ListingLoader, pageLimit } from './ListingLoader.js'
import { memory } from './navigation.js'
import { type Place, placeHref } from './routes.js'

/** The previous place stays until this time has passed, so that fast loads do not flash. */
const skeletonMs = 200

/** The largest page that a return in history requests, to restore the scroll position. */
const maxRestored = 20_000

export interface LoadedListing {
  readonly listing: Listing
  readonly loader: ListingLoader
}

/** Loads a place. Returns the previous one while loading, and an empty listing after 200 ms. */
export const useListing = (place: Place, version: number): LoadedListing | undefined => {
  const [loaded, setLoaded] = useState<LoadedListing>()
  useEffect(() => {
    const loader = new ListingLoader(place, (listing) => {
      clearTimeout(timer)
      setLoaded({ listing, loader })
    })
    const timer = setTimeout(() => setLoaded({ listing: emptyListing(place), loader }), skeletonMs)
    loader.load(Math.min(Math.max(memory().count ?? 0, pageLimit), maxRestored))
    return () => {
      clearTimeout(timer)
      loader.close()
    }
  }, [placeHref(place), version])
  return loaded
}
