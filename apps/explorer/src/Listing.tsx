import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import { options } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Listing, Loader } from './data.js'
import { plainName } from './format.js'
import { rootName } from './Header.js'
import { useKeys } from './keys.js'
import { memory, navigate, remember } from './navigation.js'
import { arrange, isServiceOrder, type Order, serviceOrder } from './order.js'
import { Row, rowId } from './Row.js'
import { childOf, placeHref } from './routes.js'
import { State } from './State.js'
import { changeSettings, locale, settings, words } from './settings.js'
import { Footer, Loading, Toolbar } from './Toolbar.js'
import { useVirtualizer } from './virtual.js'

const narrow = matchMedia('(max-width: 640px), (pointer: coarse)')
const rowHeight = (): number => (narrow.matches ? 44 : 36)
const headHeight = 32

/** Rows on paper, where nothing scrolls. */
const printedRows = 5000

const useIsPrinting = (): boolean => {
  const [isPrinting, set] = useState(false)
  useEffect(() => {
    // The browser takes its picture right after the event, so the rows must be there at once.
    const at = (printing: boolean) => () => {
      const { debounceRendering } = options
      options.debounceRendering = (render) => render()
      set(printing)
      if (debounceRendering === undefined) delete options.debounceRendering
      else options.debounceRendering = debounceRendering
    }
    const [before, after] = [at(true), at(false)]
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting
}

const sortOf = (order: Order, by: Order['by']): 'ascending' | 'descending' | 'none' =>
  order.by === by ? (order.descending ? 'descending' : 'ascending') : 'none'

const Head = ({ order }: { readonly order: Order }) => {
  const sorted = (by: Order['by']) => (
    <div role="columnheader" class={`cell-${by}`} aria-sort={sortOf(order, by)}>
      <button
        type="button"
        onClick={() => changeSettings({ order: { ...order, by, descending: order.by === by && !order.descending } })}
      >
        {words().columns[by]}
        <span class="direction" aria-hidden="true">
          {order.by === by ? (order.descending ? '↓' : '↑') : ''}
        </span>
      </button>
    </div>
  )
  return (
    <div role="row" class="row head" aria-rowindex={1}>
      {sorted('name')}
      <div role="columnheader" class="cell-visibility">
        {words().columns.visibility}
      </div>
      {sorted('size')}
      {sorted('time')}
      <div role="columnheader" class="cell-actions">
        <span class="away">{words().copyLink}</span>
      </div>
    </div>
  )
}

interface RowsProps extends Omit<ListingProps, 'isShown'> {
  readonly rows: ReadonlyArray<DirectoryItem>
}

const Rows = ({ listing, loader, rows, onSelect }: RowsProps) => {
  const { place, complete, failure } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const isPrinting = useIsPrinting()
  const [remembered] = useState(memory)
  const [selectedName, setSelectedName] = useState(remembered.selected)
  const selected = useMemo(() => rows.findIndex(({ name }) => name === selectedName), [rows, selectedName])
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    overscan: 12,
    initialOffset: remembered.top ?? 0,
  })

  const last = virtualizer.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    // On paper every row is in view.
    if (!complete && !isPrinting && failure === undefined && last > rows.length - 300) loader.more()
  })

  // Where the person comes back to.
  useLayoutEffect(() => {
    if (remembered.top !== undefined) scroller.current?.scrollTo(0, remembered.top)
    else if (selected > 0) virtualizer.scrollToIndex(selected, { align: 'center' })
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  const chosen = rows[selected]
  useEffect(() => onSelect(chosen), [chosen])
  const select = useMemo(
    () => (index: number) => {
      const name = rows[index]?.name
      if (name === undefined) return
      setSelectedName(name)
      remember({ selected: name })
    },
    [rows],
  )
  const moveTo = (index: number): void => {
    const at = Math.max(0, Math.min(index, rows.length - 1))
    select(at)
    virtualizer.scrollToIndex(at)
  }
  const onPage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight()) - 2)
  const open = (): void => {
    const item = rows[selected]
    if (item !== undefined) navigate(placeHref(childOf(place, item.name)))
  }
  const [goesToEnd, setGoesToEnd] = useState(false)
  useEffect(() => {
    if (!goesToEnd || !complete) return
    setGoesToEnd(false)
    moveTo(rows.length - 1)
  }, [goesToEnd, complete])
  useKeys({
    ArrowDown: () => moveTo(selected + 1),
    ArrowUp: () => moveTo(selected < 0 ? 0 : selected - 1),
    PageDown: () => moveTo(selected + onPage),
    PageUp: () => moveTo(selected - onPage),
    Home: () => moveTo(0),
    End: () => {
      loader.all()
      setGoesToEnd(true)
    },
    Enter: open,
    ArrowRight: () => rows[selected]?.is_file === false && open(),
  })

  const scrolled = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const onScroll = (): void => {
    clearTimeout(scrolled.current)
    scrolled.current = setTimeout(
      () => remember({ top: scroller.current?.scrollTop ?? 0, count: listing.items.length }),
      200,
    )
  }
  useEffect(() => () => clearTimeout(scrolled.current), [])

  const inView = isPrinting
    ? rows.slice(0, printedRows).map((_, index) => ({ index, start: headHeight + index * rowHeight() }))
    : virtualizer.getVirtualItems()
  const name = place.names.at(-1) ?? rootName(place)
  return (
    <div
      ref={scroller}
      class="scroller"
      role="grid"
      tabIndex={0}
      aria-label={words().listing(plainName(name))}
      aria-rowcount={complete ? rows.length + 1 : -1}
      aria-colcount={5}
      aria-activedescendant={inView.some(({ index }) => index === selected) ? rowId(selected) : undefined}
      onScroll={onScroll}
    >
      <div role="rowgroup">
        <Head order={settings().order} />
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${rows.length * rowHeight()}px` }}>
        {inView.map(({ index, start }) => {
          const item = rows[index]
          return (
            item !== undefined && (
              <Row
                key={index}
                place={place}
                item={item}
                index={index}
                start={start - headHeight}
                isSelected={index === selected}
                select={select}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

interface ListingProps {
  readonly listing: Listing
  readonly loader: Loader
  /** Which entries are shown, where not all of them are. */
  readonly isShown: ((visibility: NodeVisibility) => boolean) | undefined
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** A directory: its name, its entries in the order that was chosen, and what there is to say of them together. */
export const ListingView = ({ listing, loader, isShown, onSelect }: ListingProps) => {
  const { order, language } = settings()
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
  // Never an order of, or a choice from, only those entries that happen to be there.
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
            changeSettings({ order: serviceOrder })
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
      <Footer listing={listing} items={items} shown={rows?.length} />
    </section>
  )
}
