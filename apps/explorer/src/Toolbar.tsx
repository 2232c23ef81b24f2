import { useRef } from 'preact/hooks'
import { useFilesOff } from './fileRequests.js'
import { formatCount } from './format.js'
import { rootName } from './Header.js'
import { Icon, IconButton } from './icons.js'
import { useKeys } from './keys.js'
import type { Listing } from './ListingLoader.js'
import { Visible } from './Name.js'
import type { Order } from './order.js'
import { PanelButton } from './Panel.js'
import { changePreferences, words } from './preferences.js'
import { VisibilityMark } from './Row.js'
import { isPreview, type Place } from './routes.js'

interface ChoiceProps {
  readonly order: Order
  readonly which: 'directoriesFirst' | 'natural'
  readonly label: string
}

const Choice = ({ order, which, label }: ChoiceProps) => (
  <button
    type="button"
    class="choice"
    aria-pressed={order[which]}
    onClick={() => changePreferences({ chosenOrder: { ...order, [which]: !order[which] } })}
  >
    {label}
  </button>
)

interface FilterProps {
  readonly filter: string
  readonly setFilter: (filter: string) => void
}

const Filter = ({ filter, setFilter }: FilterProps) => {
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
  return (
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
  )
}

const downloadFolder = async (place: Place): Promise<void> =>
  (await import('./saving.js')).save({ place, isArchive: true })

const DownloadFolder = ({ place }: { readonly place: Place }) => {
  const isOff = useFilesOff()
  return isOff || isPreview(place.view) ? null : (
    <IconButton
      icon="download"
      label={words().files.downloadFolder}
      class="square download"
      onClick={() => downloadFolder(place)}
    />
  )
}

interface ToolbarProps extends FilterProps {
  readonly listing: Listing
  readonly order: Order
}

export const Toolbar = ({ listing: { place, node }, order, filter, setFilter }: ToolbarProps) => (
  <div class="toolbar">
    <h1>
      <Visible text={place.names.at(-1) ?? rootName(place)} />
    </h1>
    {node !== undefined && <VisibilityMark visibility={node.visibility} />}
    <div class="tools">
      <Filter filter={filter} setFilter={setFilter} />
      <Choice order={order} which="directoriesFirst" label={words().directoriesFirst} />
      <Choice order={order} which="natural" label={words().natural} />
      <DownloadFolder place={place} />
      <PanelButton name="outline" />
      <PanelButton name="why" />
    </div>
  </div>
)

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
