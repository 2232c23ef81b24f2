import type { DirectoryItem } from '@canopy/client'
import { options } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useFolderSizes } from './folderSizes.js'
import { plainName } from './format.js'
import { rootName } from './Header.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { hasNavigated, memory, remember } from './navigation.js'
import type { Order } from './order.js'
import { changePreferences, words } from './preferences.js'
import { Row, rowId } from './Row.js'
import { useRowKeys } from './useRowKeys.js'
import { cssPixels, type RowWindow, useRowWindow } from './useRowWindow.js'
import { type Selection, useSelection } from './useSelection.js'

const headHeight = 32

/** How many rows to print, because paper has no scrollbar. */
const maxPrintedRows = 5000

/** Load the next page when this few rows remain below the view. */
const minRowsAhead = 300

const ariaSort = (order: Order, by: Order['by']): 'ascending' | 'descending' | 'none' =>
  order.by === by ? (order.descending ? 'descending' : 'ascending') : 'none'

interface SortableProps {
  readonly order: Order
  readonly by: Order['by']
}

const Sortable = ({ order, by }: SortableProps) => {
  const isSorted = order.by === by
  const chosenOrder = { ...order, by, descending: isSorted && !order.descending }
  return (
    <div role="columnheader" class={`cell-${by}`} aria-sort={ariaSort(order, by)}>
      <button type="button" onClick={() => changePreferences({ chosenOrder })}>
        {words().columns[by]}
        <span class="direction" aria-hidden="true">
          {isSorted ? (order.descending ? '↓' : '↑') : ''}
        </span>
      </button>
    </div>
  )
}

const RowsHead = ({ order }: { readonly order: Order }) => (
  <div role="row" class="row head" aria-rowindex={1}>
    <Sortable order={order} by="name" />
    <div role="columnheader" class="cell-visibility">
      {words().columns.visibility}
    </div>
    <Sortable order={order} by="size" />
    <Sortable order={order} by="time" />
    <div role="columnheader" class="cell-actions">
      <span class="away">{words().copyLink}</span>
    </div>
  </div>
)

interface RowsProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly rows: ReadonlyArray<DirectoryItem>
  readonly order: Order
  readonly filter: string
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

const useIsPrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // The browser takes its picture right after the event, so render synchronously.
    const change = (printing: boolean) => () => {
      const { debounceRendering } = options
      options.debounceRendering = (render) => render()
      setPrinting(printing)
      if (debounceRendering === undefined) delete options.debounceRendering
      else options.debounceRendering = debounceRendering
    }
    const [before, after] = [change(true), change(false)]
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting
}

/** Scrolls to the selection, or to the top, when the order or the filter changes. */
const useArrangementScroll = ({ scrollToRow }: RowWindow, { index }: Selection, arrangement: string): void => {
  const shown = useRef(arrangement)
  useLayoutEffect(() => {
    if (shown.current === arrangement) return
    shown.current = arrangement
    scrollToRow(Math.max(index, 0), index < 0 ? 'nearest' : 'center')
  })
}

/** The grid of a listing. Only the rows in view are in the page. */
export const Rows = ({ listing, loader, rows, order, filter, onSelect }: RowsProps) => {
  const { place, complete, failure } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = cssPixels('--row')
  const isPrinting = useIsPrinting()
  const folderSizes = useFolderSizes(place)
  const [remembered] = useState(memory)
  const selection = useSelection(place, rows, onSelect)
  const rowWindow = useRowWindow({
    scroller,
    count: rows.length,
    rowHeight,
    headHeight,
    initialOffset: remembered.top ?? 0,
    onRest: (top) => remember(place, { top, count: listing.items.length }),
  })
  useArrangementScroll(rowWindow, selection, JSON.stringify([order, filter]))

  const last = rowWindow.rows.at(-1)?.index ?? 0
  useEffect(() => {
    // Printing shows all rows, but must not load more.
    if (!complete && !isPrinting && failure === undefined && last > rows.length - minRowsAhead) loader.loadMore()
  })

  useLayoutEffect(() => {
    if (remembered.top === undefined && selection.index > 0) rowWindow.scrollToRow(selection.index, 'center')
    // Later places keep the focus in the listing. The first one does not take it, so that no ring greets its visitor.
    if (hasNavigated() && document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2)
  useRowKeys({ listing, loader, rows, selection, scroller, scrollToRow: rowWindow.scrollToRow, pageRows })

  const placed = isPrinting
    ? rows.slice(0, maxPrintedRows).map((_, index) => ({ index, top: index * rowHeight }))
    : rowWindow.rows
  const isInView = placed.some(({ index }) => index === selection.index)
  return (
    <div class="frame">
      <div
        ref={scroller}
        class="scroller"
        role="grid"
        tabIndex={0}
        aria-label={words().listing(plainName(place.names.at(-1) ?? rootName(place)))}
        aria-rowcount={complete ? rows.length + 1 : -1}
        aria-colcount={5}
        aria-activedescendant={isInView ? rowId(selection.index) : undefined}
      >
        <div role="rowgroup">
          <RowsHead order={order} />
        </div>
        <div role="rowgroup" class="rows" style={{ height: `${rowWindow.height}px` }}>
          {placed.map(({ index, top }) => {
            const item = rows[index]
            if (item === undefined) return null
            const folderSize = item.is_file ? undefined : folderSizes?.get(item.name)
            const isSelected = index === selection.index
            return (
              <Row key={index} {...{ place, item, index, top, isSelected, folderSize }} select={selection.select} />
            )
          })}
        </div>
      </div>
    </div>
  )
}
