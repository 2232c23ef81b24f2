import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Footer } from './Footer.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { memory, remember } from './navigation.js'
import { arrange, folderOrder, isServiceOrder, type Order, serviceOrder } from './order.js'
import { changePreferences, locale, preferences, words } from './preferences.js'
import { Rows } from './Rows.js'
import { State } from './State.js'
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

/** A directory: toolbar, rows in the chosen order, and footer. */
export const ListingView = ({ listing, loader, isShown, onSelect }: ListingProps) => {
  const { language } = preferences()
  const order = useOrder(listing)
  const [filter, setFilter] = useFilter(listing)
  const { complete, failure } = listing
  const items = useMemo(
    () => (isShown === undefined ? listing.items : listing.items.filter(({ visibility }) => isShown(visibility))),
    [listing.items, isShown],
  )
  const needsAll = filter !== '' || !isServiceOrder(order)
  useEffect(() => {
    if (needsAll) loader.all()
    else loader.pause()
  }, [needsAll, loader])
  // Sorting or filtering a part of the entries would mislead.
  const isReady = complete || !needsAll
  const rows = useMemo(
    () => (isReady ? arrange(items, order, filter, locale()) : undefined),
    [isReady, items, order, filter, language],
  )
  const stop = (): void => {
    setFilter('')
    if (!isServiceOrder(order)) changePreferences({ chosenOrder: serviceOrder })
  }
  return (
    <section class="listing">
      <Toolbar listing={listing} order={order} filter={filter} setFilter={setFilter} />
      {rows === undefined ? (
        <Loading count={items.length} failed={failure !== undefined} retry={loader.all} stop={stop} />
      ) : rows.length > 0 ? (
        <Rows {...{ listing, loader, rows, order, filter, onSelect }} />
      ) : filter === '' ? (
        <State name="empty" heading="h2" />
      ) : (
        <NothingFound filter={filter} setFilter={setFilter} />
      )}
      {rows !== undefined && failure !== undefined && (
        <p class="rest" role="alert">
          {words().notMore}{' '}
          <button type="button" onClick={loader.more}>
            {words().tryAgain}
          </button>
        </p>
      )}
      <Footer listing={listing} items={items} rows={rows} />
    </section>
  )
}
