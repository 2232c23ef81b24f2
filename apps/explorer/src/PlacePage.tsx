import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { secret } from './credentials.js'
import { type Listing, type Loader, openListing, pageItems, visibilitiesAbove } from './data.js'
import { FileCard } from './FileCard.js'
import { useKeys } from './keys.js'
import { ListingView } from './Listing.js'
import { lazily } from './lazy.js'
import { memory, navigate } from './navigation.js'
import { Panel } from './Panel.js'
import { closeSheet } from './panels.js'
import { isPreview, type Place, parentOf, placeHref } from './routes.js'
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

const useUnderstanding = lazily(() => import('./understand.js'))

interface Above {
  readonly href: string
  readonly visibilities: ReadonlyArray<NodeVisibility | undefined>
}

/** The visibilities of the directories above a place, once they are known. */
const useAbove = (place: Place, version: number): Above['visibilities'] | undefined => {
  const href = placeHref(place)
  const [above, setAbove] = useState<Above>()
  useEffect(() => {
    const controller = new AbortController()
    const ask = async (): Promise<void> => {
      const found = await visibilitiesAbove(place, { signal: controller.signal })
      if ('value' in found) setAbove({ href, visibilities: found.value })
    }
    void ask()
    return () => controller.abort()
  }, [href, version])
  return above?.href === href ? above.visibilities : undefined
}

/** What is shown, or what was shown last: a panel does not go away while the next place loads. */
const useLast = (shown: ComponentChildren): ComponentChildren => {
  const last = useRef(shown)
  if (shown !== undefined) last.current = shown
  return last.current
}

const Loaded = ({ place, version }: PlaceProps) => {
  useUp(place)
  const shown = useListing(place, version)
  const above = useAbove(place, version)
  const understanding = useUnderstanding()
  const [selected, select] = useState<DirectoryItem>()
  const visits = useRef(0)
  // A listing that is opened again starts with its own filter and place to scroll to.
  const key = useMemo(() => (visits.current += 1), [shown?.loader])
  const href = placeHref(place)
  // A sheet has led to where the person wanted to go.
  useEffect(closeSheet, [href])

  const listing = shown?.listing
  const node = listing?.node
  const isFile = node?.type === 'file'
  const isThere = listing !== undefined && placeHref(listing.place) === href
  const visibilities = isThere && above !== undefined && node !== undefined ? [...above, node.visibility] : undefined
  const links = visibilities?.map((visibility, depth) => ({ name: place.names[depth - 1] ?? '', visibility }))
  const directory = isFile ? parentOf(place) : place
  const outline = useLast(
    understanding !== undefined && visibilities !== undefined && directory !== undefined && listing !== undefined ? (
      <understanding.Outline
        place={directory}
        visibilities={isFile ? visibilities.slice(0, -1) : visibilities}
        listing={listing}
      />
    ) : undefined,
  )
  const why = useLast(
    understanding !== undefined && links !== undefined && shown !== undefined && !isFile ? (
      <understanding.Why listing={shown.listing} loader={shown.loader} item={selected} links={links} />
    ) : undefined,
  )

  const middle = (): ComponentChildren => {
    if (shown === undefined || listing === undefined) return null
    const preview = isPreview(listing.place.view)
    if (preview && node !== undefined) {
      if (understanding === undefined) return null
      if (!understanding.isReached(node.visibility)) return <State name="closed" />
    }
    if (node?.type === 'file')
      return (
        <FileCard place={listing.place} file={node}>
          {understanding !== undefined && links !== undefined && <understanding.Reasons links={links} />}
        </FileCard>
      )
    if (listing.items.length > 0 || listing.complete)
      return (
        <ListingView
          key={key}
          listing={listing}
          loader={shown.loader}
          isShown={preview ? understanding?.isShown : undefined}
          onSelect={select}
        />
      )
    return listing.failure === undefined ? (
      <Skeleton />
    ) : (
      <Failed failure={listing.failure} place={listing.place} retry={shown.loader.more} />
    )
  }
  return (
    <div class="columns">
      <Panel name="outline">{outline}</Panel>
      <div class="middle">{middle()}</div>
      {!isFile && <Panel name="why">{why}</Panel>}
    </div>
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
