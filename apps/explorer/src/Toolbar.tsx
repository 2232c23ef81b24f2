// The toolbar above the rows of a listing, and the footer below.
import type { Visibility } from '@canopy/client'
import { useMemo, useRef } from 'preact/hooks'
import { formatCount, formatSize, plainName } from './format.js'
import { rootName } from './Header.js'
import { Icon } from './icons.js'
import { useKeys } from './keys.js'
import type { Listing } from './ListingLoader.js'
import { Name } from './Name.js'
import type { Order } from './order.js'
import { PanelButton } from './Panel.js'
import { changePreferences, preferences, words } from './preferences.js'
import { VisibilityMark } from './Row.js'
import { isPreview } from './routes.js'

const Choice = ({ which, label }: { readonly which: 'directoriesFirst' | 'natural'; readonly label: string }) => {
  const { order } = preferences()
  const toggled: Order = { ...order, [which]: !order[which] }
  return (
    <button
      type="button"
      class="choice"
      aria-pressed={order[which]}
      onClick={() => changePreferences({ order: toggled })}
    >
      {label}
    </button>
  )
}

interface ToolbarProps {
  readonly listing: Listing
  readonly filter: string
  readonly setFilter: (filter: string) => void
}

export const Toolbar = ({ listing: { place, node }, filter, setFilter }: ToolbarProps) => {
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  const onKeyDown = (event: KeyboardEvent): void => {
    const isEscape = event.key === 'Escape'
    if (!isEscape && event.key !== 'ArrowDown' && event.key !== 'Enter') return
    event.preventDefault()
    if (isEscape) setFilter('')
    input.current?.blur()
    document.querySelector<HTMLElement>('.scroller')?.focus()
  }
  const name = place.names.at(-1) ?? rootName(place)
  return (
    <div class="toolbar">
      <PanelButton name="outline" />
      <h1 aria-label={plainName(name)}>
        <Name name={name} />
      </h1>
      {node !== undefined && <VisibilityMark visibility={node.visibility} />}
      <div class="tools">
        <Choice which="directoriesFirst" label={words().directoriesFirst} />
        <Choice which="natural" label={words().natural} />
        <label class="filter">
          <Icon name="search" />
          <span class="away">{words().filter}</span>
          <input
            ref={input}
            type="text"
            value={filter}
            placeholder={words().filter}
            autocomplete="off"
            spellcheck={false}
            aria-keyshortcuts="/"
            onInput={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
      </div>
      <PanelButton name="why" />
    </div>
  )
}

interface LoadingProps {
  readonly count: number
  readonly failed: boolean
  readonly retry: () => void
  readonly stop: () => void
}

/** In place of the rows while the whole listing loads. */
export const Loading = ({ count, failed, retry, stop }: LoadingProps) => (
  <section class="state" role="status">
    {!failed && <progress aria-label={words().loading} />}
    <p>{failed ? words().notMore : words().loadingAll(formatCount(count))}</p>
    {failed && (
      <button type="button" class="main" onClick={retry}>
        {words().tryAgain}
      </button>
    )}
    <button type="button" onClick={stop}>
      {words().stopLoadingAll}
    </button>
  </section>
)

interface FooterProps {
  readonly listing: Listing
  /** Without the entries that a preview hides. */
  readonly items: Listing['items']
  readonly shownCount: number | undefined
}

const statusOf = ({ complete }: Listing, items: Listing['items'], shownCount: number | undefined): string => {
  const count = formatCount(items.length)
  if (!complete) return words().entriesSoFar(count)
  const isFiltered = shownCount !== undefined && shownCount < items.length
  return isFiltered ? words().found(formatCount(shownCount), count) : words().entries(count, items.length)
}

const countOwn = (items: Listing['items'], which: Visibility): number =>
  items.filter(({ visibility: { inherited, visibility } }) => !inherited && visibility === which).length

/** Sums of a complete listing. */
const Sums = ({ listing: { place }, items }: Pick<FooterProps, 'listing' | 'items'>) => {
  const bytes = useMemo(() => items.reduce((sum, { size }) => sum + size, 0n), [items])
  const [hidden, isPrivate] = useMemo(
    (): [number, number] => [countOwn(items, 'hidden'), countOwn(items, 'private')],
    [items],
  )
  const ownHere = words().ownHere(hidden, isPrivate)
  return (
    <>
      {items.length > 0 && <span>{words().inFiles(formatSize(bytes))}</span>}
      {place.view.as === 'owner' && !isPreview(place.view) && ownHere !== '' && <span class="wide">{ownHere}</span>}
    </>
  )
}

export const Footer = ({ listing, items, shownCount }: FooterProps) => {
  const { complete, place } = listing
  return (
    <footer>
      <span role="status">{statusOf(listing, items, shownCount)}</span>
      {complete && <Sums listing={listing} items={items} />}
      <span class="end">
        {isPreview(place.view) && complete
          ? words().preview.some(formatCount(items.length), formatCount(listing.items.length))
          : words().readOnly}
      </span>
    </footer>
  )
}
