import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { secret } from './credentials.js'
import { type Listing, type Loader, openListing, pageItems } from './data.js'
import { FileCard } from './FileCard.js'
import { useKeys } from './keys.js'
import { ListingView } from './Listing.js'
import { memory, navigate } from './navigation.js'
import { type Place, parentOf, placeHref } from './routes.js'
import { Failed, State } from './State.js'
import { words } from './settings.js'
import { CredentialField } from './WaysIn.js'

const skeletonMs = 200

/** Entries that a return asks for at once, so that the page scrolls to where it was. */
const mostRemembered = 20_000

const noLoader: Loader = { more: () => {}, all: () => {}, pause: () => {}, close: () => {} }

interface Shown {
  readonly listing: Listing
  readonly loader: Loader
}

/** The last place stays until the next one is there, for 200 ms at most; then a skeleton takes its place. */
const useListing = (place: Place, version: number): Shown | undefined => {
  const [shown, show] = useState<Shown>()
  useEffect(() => {
    const nothing: Listing = { place, node: undefined, items: [], complete: false, failure: undefined }
    const timer = setTimeout(() => show({ listing: nothing, loader: noLoader }), skeletonMs)
    const count = Math.min(Math.max(memory().count ?? 0, pageItems), mostRemembered)
    const loader = openListing(place, count, (listing) => {
      clearTimeout(timer)
      show({ listing, loader })
    })
    return () => {
      clearTimeout(timer)
      loader.close()
    }
  }, [placeHref(place), version])
  return shown
}

const Skeleton = () => (
  <div class="skeleton" role="status" aria-label={words().loading}>
    {Array.from({ length: 12 }, (_, index) => (
      <div key={index} class="line" />
    ))}
  </div>
)

const useUp = (place: Place): void => {
  const up = (): void => {
    const parent = parentOf(place)
    const from = place.names.at(-1)
    if (parent !== undefined && from !== undefined) navigate(placeHref(parent), { selected: from })
  }
  useKeys({ Backspace: up, ArrowLeft: up })
}

const Loaded = ({ place, version }: PlaceProps) => {
  useUp(place)
  const shown = useListing(place, version)
  const visits = useRef(0)
  // A listing that is opened again starts with its own filter and place to scroll to.
  const key = useMemo(() => (visits.current += 1), [shown?.loader])
  if (shown === undefined) return null
  const { listing, loader } = shown
  if (listing.node?.type === 'file') return <FileCard place={listing.place} file={listing.node} />
  if (listing.items.length > 0 || listing.complete) return <ListingView key={key} listing={listing} loader={loader} />
  return listing.failure === undefined ? (
    <Skeleton />
  ) : (
    <Failed failure={listing.failure} place={listing.place} retry={loader.more} />
  )
}

interface PlaceProps {
  readonly place: Place
  readonly version: number
}

export const PlacePage = ({ place, version }: PlaceProps) =>
  place.view.as === 'owner' && secret('token') === undefined ? (
    <State name="no token">
      <CredentialField names={place.names} />
    </State>
  ) : (
    <Loaded place={place} version={version} />
  )
