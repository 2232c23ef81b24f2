import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { arrange, isServiceOrder, serviceOrder } from './order.js'
import { changePreferences, locale, preferences, words } from './preferences.js'
import { Rows } from './Rows.js'
import { State } from './State.js'
import { Footer, Loading, Toolbar } from './Toolbar.js'

interface ListingProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  /** Hides entries in the preview of a visitor's view. */
  readonly isShown: ((visibility: NodeVisibility) => boolean) | undefined
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** A directory: toolbar, rows in the chosen order, and footer. */
export const ListingView = ({ listing, loader, isShown, onSelect }: ListingProps) => {
  const { order, language } = preferences()
  const [filter, setFilter] = useState('')
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
  return (
    <section class="listing">
      <Toolbar listing={listing} filter={filter} setFilter={setFilter} />
      {rows === undefined ? (
        <Loading
          count={items.length}
          failed={failure !== undefined}
          retry={loader.all}
          stop={() => {
            setFilter('')
            changePreferences({ order: serviceOrder })
          }}
        />
      ) : rows.length > 0 ? (
        <Rows listing={listing} loader={loader} rows={rows} onSelect={onSelect} />
      ) : filter === '' ? (
        <State name="empty" heading="h2" />
      ) : (
        <section class="state">
          <p role="status">{words().nothingFound(filter)}</p>
          <button type="button" onClick={() => setFilter('')}>
            {words().clearFilter}
          </button>
        </section>
      )}
      {rows !== undefined && failure !== undefined && (
        <p class="rest" role="alert">
          {words().notMore}{' '}
          <button type="button" onClick={loader.more}>
            {words().tryAgain}
          </button>
        </p>
      )}
      <Footer listing={listing} items={items} shownCount={rows?.length} />
    </section>
  )
}
