import type { DirectoryItem } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { secret } from './credentials.js'
import { FileCard } from './FileCard.js'
import { useKeys } from './keys.js'
import { ListingView } from './Listing.js'
import { lazily } from './lazy.js'
import { navigate } from './navigation.js'
import { Panel } from './Panel.js'
import { closeSheet } from './panels.js'
import { words } from './preferences.js'
import { isPreview, type Place, parentOf, placeHref } from './routes.js'
import { Failed, State } from './State.js'
import { useAncestors } from './useAncestors.js'
import { type LoadedListing, useListing } from './useListing.js'
import type { ChainNode } from './visitor.js'
import { CredentialField } from './WaysIn.js'

const useDetails = lazily(() => import('./details.js'))

type Details = ReturnType<typeof useDetails>

const Skeleton = () => (
  <div class="skeleton" role="status" aria-label={words().loading}>
    {Array.from({ length: 12 }, (_, index) => (
      <div key={index} class="line" />
    ))}
  </div>
)

const useUpKeys = (place: Place): void => {
  const up = (): void => {
    const parent = parentOf(place)
    const from = place.names.at(-1)
    if (parent !== undefined && from !== undefined) navigate(placeHref(parent), { selected: from })
  }
  useKeys({ Backspace: up, ArrowLeft: up })
}

/** Keeps a panel while the next place loads. */
const useLast = (children: ComponentChildren): ComponentChildren => {
  const last = useRef(children)
  if (children !== undefined) last.current = children
  return last.current
}

interface MiddleProps {
  readonly loaded: LoadedListing
  readonly details: Details
  readonly chain: ReadonlyArray<ChainNode> | undefined
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** The listing of a directory, the card of a file, or the state of a failure. */
const Middle = ({ loaded: { listing, loader }, details, chain, onSelect }: MiddleProps) => {
  const { place, node, items, complete, failure } = listing
  const visits = useRef(0)
  // A new visit of the same directory begins without a filter.
  const visit = useMemo(() => (visits.current += 1), [loader])
  const preview = isPreview(place.view)
  if (preview && node !== undefined) {
    if (details === undefined) return null
    if (!details.canRequest(node.visibility)) return <State name="closed" />
  }
  if (node?.type === 'file')
    return (
      <FileCard place={place} file={node}>
        {details !== undefined && chain !== undefined && <details.Reasons chain={chain} />}
      </FileCard>
    )
  if (items.length > 0 || complete) {
    const isShown = preview ? details?.isListed : undefined
    return <ListingView key={visit} {...{ listing, loader, isShown, onSelect }} />
  }
  return failure === undefined ? <Skeleton /> : <Failed failure={failure} place={place} retry={loader.more} />
}

const Loaded = ({ place, version }: PlaceProps) => {
  useUpKeys(place)
  const loaded = useListing(place, version)
  const ancestors = useAncestors(place, version)
  const details = useDetails()
  const [selected, select] = useState<DirectoryItem>()
  const href = placeHref(place)
  // A link in a sheet leads to another place.
  useEffect(closeSheet, [href])

  const listing = loaded?.listing
  const isCurrent = listing !== undefined && placeHref(listing.place) === href
  const node = listing?.node
  const isFile = node?.type === 'file'
  const visibilities =
    isCurrent && ancestors !== undefined && node !== undefined ? [...ancestors, node.visibility] : undefined
  const chain = visibilities?.map((visibility, depth) => ({ name: place.names[depth - 1] ?? '', visibility }))
  const directory = isFile ? parentOf(place) : place
  const outline = useLast(
    details !== undefined && visibilities !== undefined && directory !== undefined && listing !== undefined ? (
      <details.Outline
        place={directory}
        visibilities={isFile ? visibilities.slice(0, -1) : visibilities}
        listing={listing}
      />
    ) : undefined,
  )
  const why = useLast(
    details !== undefined && chain !== undefined && loaded !== undefined && !isFile ? (
      <details.Why listing={loaded.listing} loader={loaded.loader} item={selected} chain={chain} />
    ) : undefined,
  )
  return (
    <div class="columns">
      <Panel name="outline">{outline}</Panel>
      <div class="middle">
        {loaded !== undefined && <Middle loaded={loaded} details={details} chain={chain} onSelect={select} />}
      </div>
      {!isFile && <Panel name="why">{why}</Panel>}
    </div>
  )
}

interface PlaceProps {
  readonly place: Place
  /** Changes when the page must load again, for example with another token. */
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
