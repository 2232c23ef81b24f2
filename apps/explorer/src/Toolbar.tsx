// What is above and below the rows of a listing.
import { useMemo, useRef } from 'preact/hooks'
import type { Listing } from './data.js'
import { formatCount, formatSize, plainName } from './format.js'
import { rootName } from './Header.js'
import { Icon } from './icons.js'
import { useKeys } from './keys.js'
import { Name } from './Name.js'
import type { Order } from './order.js'
import { PanelButton } from './Panel.js'
import { VisibilityMark } from './Row.js'
import { isPreview } from './routes.js'
import { changeSettings, settings, words } from './settings.js'

const Choice = ({ which, label }: { readonly which: 'directoriesFirst' | 'natural'; readonly label: string }) => {
  const { order } = settings()
  const toggled: Order = { ...order, [which]: !order[which] }
  return (
    <button type="button" class="choice" aria-pressed={order[which]} onClick={() => changeSettings({ order: toggled })}>
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

/** While the whole listing comes. */
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
  /** Those that may be shown. */
  readonly items: Listing['items']
  readonly shown: number | undefined
}

export const Footer = ({ listing, items, shown }: FooterProps) => {
  const { complete, place } = listing
  const preview = isPreview(place.view)
  const { bytes, hidden, isPrivate } = useMemo(() => {
    const own = (which: string) =>
      items.filter(({ visibility }) => !visibility.inherited && visibility.visibility === which).length
    return {
      bytes: items.reduce((sum, { size }) => sum + size, 0n),
      hidden: own('hidden'),
      isPrivate: own('private'),
    }
  }, [items])
  const count = formatCount(items.length)
  const ownHere = words().ownHere(hidden, isPrivate)
  return (
    <footer>
      <span role="status">
        {shown !== undefined && complete && shown < items.length
          ? words().found(formatCount(shown), count)
          : complete
            ? words().entries(count, items.length)
            : words().entriesSoFar(count)}
      </span>
      {complete && items.length > 0 && <span>{words().inFiles(formatSize(bytes))}</span>}
      {complete && place.view.as === 'owner' && !preview && ownHere !== '' && <span class="wide">{ownHere}</span>}
      <span class="end">
        {preview && complete ? words().preview.some(count, formatCount(listing.items.length)) : words().readOnly}
      </span>
    </footer>
  )
}
