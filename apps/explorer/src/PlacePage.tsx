import type { DirectoryItem, Failure } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { secret } from './credentials.js'
import { FileCard } from './FileCard.js'
import { useKeys } from './keys.js'
import { knownVisibility, type SeenVisibility } from './knownVisibilities.js'
import { ListingView } from './Listing.js'
import { type Listing, type LoadedListing, useListing } from './ListingLoader.js'
import { lazily } from './lazy.js'
import { navigate } from './navigation.js'
import { Panel } from './Panel.js'
import { closeSheet } from './panels.js'
import { words } from './preferences.js'
import { isPreview, type Place, parentOf, placeHref } from './routes.js'
import { Failed, State } from './State.js'
import { fetchNode } from './service.js'
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

const useUpKeys = (place: Place, isFile: boolean): void => {
  const up = (): void => {
    const parent = parentOf(place)
    const from = place.names.at(-1)
    if (parent !== undefined && from !== undefined) navigate(placeHref(parent), { selected: from })
  }
  // On a file, the arrow goes to the previous one.
  useKeys({ Backspace: up, ...(isFile ? {} : { ArrowLeft: up }) })
}

/** Keeps a panel while the next place loads, until there is another one or `null`. */
const useLast = (children: ComponentChildren): ComponentChildren => {
  const last = useRef(children)
  if (children !== undefined) last.current = children
  return last.current
}

/** Reports whether the token opens the area no longer: the whole listing goes. */
const isRefused = (failure: Failure | undefined): boolean =>
  failure?.error === 'invalid token' || failure?.error === 'not verified'

interface Explained {
  readonly chain: ReadonlyArray<ChainNode>
  readonly loadAll: () => void
}

interface MiddleProps {
  readonly loaded: LoadedListing
  readonly details: Details
  readonly explained: Explained | undefined
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** The listing of a directory, the card of a file, or the state of a failure. */
const Middle = ({ loaded: { listing, loader }, details, explained, onSelect }: MiddleProps) => {
  const { place, node, items, complete, failure } = listing
  const visits = useRef(0)
  // Each visit of a directory has its own filter.
  const visit = useMemo(() => (visits.current += 1), [loader])
  const preview = isPreview(place.view)
  if (failure !== undefined && (isRefused(failure) || items.length === 0))
    return <Failed failure={failure} place={place} isThere={node !== undefined} retry={loader.loadMore} />
  if (preview && node !== undefined) {
    if (details === undefined) return null
    if (!details.canRequest(node.visibility)) return <State name="closed" />
  }
  if (node?.type === 'file')
    return (
      <FileCard key={placeHref(place)} place={place} file={node}>
        {details !== undefined && explained !== undefined && (
          <details.Reasons {...explained} isOwner={place.view.as === 'owner'} />
        )}
      </FileCard>
    )
  if (items.length === 0 && !complete) return <Skeleton />
  const isShown = preview ? details?.isListed : undefined
  return <ListingView key={visit} {...{ listing, loader, isShown, onSelect }} />
}

interface Ancestors {
  /** From the root to the parent. */
  readonly visibilities: ReadonlyArray<SeenVisibility>
  readonly loadAll: () => void
}

const ancestorsOf = ({ view, names }: Place): ReadonlyArray<Place> =>
  names.map((_, depth) => ({ view, names: names.slice(0, depth) }))

/**
 * Returns the ancestors of a place as far as the page has seen them. A link into the depth requests the root alone; the
 * others load when someone asks. `undefined` until the root has answered.
 */
const useAncestors = (place: Place, version: number): Ancestors | undefined => {
  const href = placeHref(place)
  const [loaded, setLoaded] = useState({ href: '', loads: 0 })
  const places = ancestorsOf(place)
  const load = async (wanted: ReadonlyArray<Place>): Promise<void> => {
    const missing = wanted.filter((ancestor) => knownVisibility(ancestor) === 'not loaded')
    await Promise.all(missing.map((ancestor) => fetchNode(ancestor, {})))
    setLoaded(({ loads }) => ({ href, loads: loads + 1 }))
  }
  useEffect(() => {
    void load(places.slice(0, 1))
  }, [href, version])
  const visibilities = places.map(knownVisibility)
  const isPending = visibilities[0] === 'not loaded' && loaded.href !== href
  return isPending ? undefined : { visibilities, loadAll: () => void load(places) }
}

/** Explains a place as far as its ancestors are known. */
const useExplained = (place: Place, version: number, listing: Listing | undefined): Explained | undefined => {
  const ancestors = useAncestors(place, version)
  const isCurrent = listing !== undefined && placeHref(listing.place) === placeHref(place)
  const node = isCurrent ? listing.node : undefined
  if (ancestors === undefined || node === undefined) return undefined
  const visibilities = [...ancestors.visibilities, node.visibility]
  const chain = visibilities.map((visibility, depth) => ({ name: place.names[depth - 1] ?? '', visibility }))
  return { chain, loadAll: ancestors.loadAll }
}

interface PanelContentsOptions {
  readonly place: Place
  readonly loaded: LoadedListing | undefined
  readonly details: Details
  readonly explained: Explained | undefined
  readonly selected: DirectoryItem | undefined
}

/** The columns beside a place. They stay while the next place loads, and go with the right to see it. */
const usePanelContents = ({ place, loaded, details, explained, selected }: PanelContentsOptions) => {
  const listing = loaded?.listing
  const isFile = listing?.node?.type === 'file'
  const directory = isFile ? parentOf(place) : place
  const isReady = details !== undefined && explained !== undefined && loaded !== undefined
  const visibilities = explained?.chain.map(({ visibility }) => visibility) ?? []
  const outline =
    isReady && directory !== undefined ? (
      <details.Outline
        place={directory}
        visibilities={isFile ? visibilities.slice(0, -1) : visibilities}
        listing={loaded.listing}
      />
    ) : undefined
  const why =
    isReady && !isFile ? (
      <details.Why listing={loaded.listing} loader={loaded.loader} item={selected} {...explained} />
    ) : undefined
  const hasFailed = listing?.failure !== undefined && listing.items.length === 0
  return {
    outline: useLast(isRefused(listing?.failure) ? null : outline),
    why: useLast(hasFailed || isRefused(listing?.failure) ? null : why),
    isFile,
  }
}

const Loaded = ({ place, version }: PlaceProps) => {
  const loaded = useListing(place, version)
  const details = useDetails()
  const explained = useExplained(place, version, loaded?.listing)
  const [selected, select] = useState<DirectoryItem>()
  // A link in a sheet leads to another place.
  useEffect(closeSheet, [placeHref(place)])
  const { outline, why, isFile } = usePanelContents({ place, loaded, details, explained, selected })
  useUpKeys(place, isFile)
  return (
    <div class="columns">
      <Panel name="outline">{outline}</Panel>
      <div class="middle">
        {loaded !== undefined && <Middle loaded={loaded} details={details} explained={explained} onSelect={select} />}
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
