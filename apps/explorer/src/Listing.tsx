import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Footer } from './Footer.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { lazily } from './lazy.js'
import { memory, remember } from './navigation.js'
import { arrange, folderOrder, isServiceOrder, type Order, serviceOrder } from './order.js'
import { changePreferences, locale, preferences, words } from './preferences.js'
import { Rows } from './Rows.js'
import { isPreview } from './routes.js'
import { State } from './State.js'
import { keepRows } from './siblings.js'
import { Loading, Toolbar } from './Toolbar.js'

interface ListingProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  /** Hides entries in the preview of a visitor's view. */
  readonly isShown: ((visibility: NodeVisibility) => boolean) | undefined
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** Returns the chosen order, or the default: folders first if the first page is the whole listing. */
const useOrder = ({ place, complete }: Listing): Order => {
  const [isPaged] = useState(() => memory().isPaged ?? !complete)
  useEffect(() => remember(place, { isPaged }), [])
  return preferences().chosenOrder ?? (isPaged ? serviceOrder : folderOrder)
}

/** The filter, which the history remembers. */
const useFilter = ({ place }: Listing): readonly [string, (filter: string) => void] => {
  const [filter, setFilter] = useState(() => memory().filter ?? '')
  return [
    filter,
    (changed) => {
      setFilter(changed)
      remember(place, { filter: changed, top: undefined })
    },
  ]
}

interface NothingFoundProps {
  readonly filter: string
  readonly setFilter: (filter: string) => void
}

const NothingFound = ({ filter, setFilter }: NothingFoundProps) => (
  <section class="state">
    <p role="status">{words().nothingFound(filter)}</p>
    <button type="button" onClick={() => setFilter('')}>
      {words().clearFilter}
    </button>
  </section>
)

interface ArrangedProps extends ListingProps {
  readonly items: ReadonlyArray<DirectoryItem>
  /** `undefined` until the whole listing is loaded, if the order or the filter needs it. */
  readonly rows: ReadonlyArray<DirectoryItem> | undefined
  readonly order: Order
  readonly filter: string
  readonly setFilter: (filter: string) => void
}

/** The rows, or what stands in their place. */
const Arranged = ({ listing, loader, onSelect, items, rows, order, filter, setFilter }: ArrangedProps) => {
  const { failure } = listing
  const stop = (): void => {
    setFilter('')
    if (!isServiceOrder(order)) changePreferences({ chosenOrder: serviceOrder })
  }
  if (rows === undefined)
    return <Loading count={items.length} failed={failure !== undefined} retry={loader.loadAll} stop={stop} />
  return (
    <>
      {rows.length > 0 ? (
        <Rows {...{ listing, loader, rows, order, filter, onSelect }} />
      ) : filter === '' ? (
        <State name="empty" heading="h2" />
      ) : (
        <NothingFound filter={filter} setFilter={setFilter} />
      )}
      {failure !== undefined && (
        <p class="rest" role="alert">
          {words().notMore}{' '}
          <button type="button" onClick={loader.loadMore}>
            {words().tryAgain}
          </button>
        </p>
      )}
    </>
  )
}

const useSearchView = lazily(() => import('./Search.js'))

/** Whether the filter searches subfolders, and the button that decides. */
const useDepth = ({ place }: Listing, filter: string) => {
  const [isDeep, setDeep] = useState(() => memory().isDeep ?? false)
  const isSearch = isDeep && filter !== ''
  const toggle = (): void => {
    setDeep(!isDeep)
    remember(place, { isDeep: !isDeep })
  }
  const button = filter !== '' && !isPreview(place.view) && (
    <p class="depth">
      <button type="button" onClick={toggle}>
        {isDeep ? words().search.here : words().search.below}
      </button>
    </p>
  )
  return { search: useSearchView(isSearch), isSearch, button }
}

/** A directory: toolbar, rows in the chosen order or results of a search, and footer. */
export const ListingView = (props: ListingProps) => {
  const { listing, loader, isShown } = props
  const { language } = preferences()
  const order = useOrder(listing)
  const [filter, setFilter] = useFilter(listing)
  const { search, isSearch, button } = useDepth(listing, filter)
  const items = useMemo(
    () => (isShown === undefined ? listing.items : listing.items.filter(({ visibility }) => isShown(visibility))),
    [listing.items, isShown],
  )
  const needsAll = !isSearch && (filter !== '' || !isServiceOrder(order))
  useEffect(() => {
    if (needsAll) loader.loadAll()
    else loader.pause()
  }, [needsAll, loader])
  // Sorting or filtering a part of the entries would mislead.
  const isReady = listing.complete || !needsAll
  const rows = useMemo(
    () => (isReady ? arrange(items, order, isSearch ? '' : filter, locale()) : undefined),
    [isReady, items, order, filter, isSearch, language],
  )
  useEffect(() => {
    if (rows !== undefined) keepRows(listing.place, rows, listing.complete ? undefined : listing.items.at(-1)?.name)
  }, [rows])
  return (
    <section class="listing">
      <Toolbar listing={listing} order={order} filter={filter} setFilter={setFilter} />
      {button}
      {isSearch ? (
        search && <search.Search place={listing.place} text={filter} />
      ) : (
        <Arranged {...props} {...{ items, rows, order, filter, setFilter }} />
      )}
      {!isSearch && <Footer listing={listing} items={items} rows={rows} />}
    </section>
  )
}
