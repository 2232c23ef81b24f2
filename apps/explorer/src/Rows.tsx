import type { DirectoryItem } from '@canopy/client'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { plainName } from './format.js'
import { rootName } from './Header.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { memory, remember } from './navigation.js'
import { preferences, words } from './preferences.js'
import { Row, rowId } from './Row.js'
import { RowsHead } from './RowsHead.js'
import { useIsPrinting } from './useIsPrinting.js'
import { useRowKeys } from './useRowKeys.js'
import { useRowWindow } from './useRowWindow.js'
import { useSelection } from './useSelection.js'

const narrow = matchMedia('(max-width: 640px), (pointer: coarse)')
const headHeight = 32

/** How many rows to print, because paper has no scrollbar. */
const maxPrintedRows = 5000

/** Load the next page when this few rows remain below the view. */
const minRowsAhead = 300

interface RowsProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly rows: ReadonlyArray<DirectoryItem>
  readonly onSelect: (item: DirectoryItem | undefined) => void
}

/** The grid of a listing. Only the rows in view are in the page. */
export const Rows = ({ listing, loader, rows, onSelect }: RowsProps) => {
  const { place, complete, failure } = listing
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = narrow.matches ? 44 : 36
  const isPrinting = useIsPrinting()
  const [remembered] = useState(memory)
  const selection = useSelection(rows, onSelect)
  const rowWindow = useRowWindow({
    scroller,
    count: rows.length,
    rowHeight,
    headHeight,
    initialOffset: remembered.top ?? 0,
    onRest: (top) => remember({ top, count: listing.items.length }),
  })

  const last = rowWindow.rows.at(-1)?.index ?? 0
  useEffect(() => {
    // Printing shows all rows, but must not load more.
    if (!complete && !isPrinting && failure === undefined && last > rows.length - minRowsAhead) loader.more()
  })

  useLayoutEffect(() => {
    if (remembered.top === undefined && selection.index > 0) rowWindow.scrollToRow(selection.index, 'center')
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2)
  useRowKeys({ listing, loader, rows, selection, scrollToRow: rowWindow.scrollToRow, pageRows })

  const placed = isPrinting
    ? rows.slice(0, maxPrintedRows).map((_, index) => ({ index, top: index * rowHeight }))
    : rowWindow.rows
  const isInView = placed.some(({ index }) => index === selection.index)
  return (
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
        <RowsHead order={preferences().order} />
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${rowWindow.height}px` }}>
        {placed.map(({ index, top }) => {
          const item = rows[index]
          const isSelected = index === selection.index
          return (
            item !== undefined && (
              <Row key={index} {...{ place, item, index, top, isSelected }} select={selection.select} />
            )
          )
        })}
      </div>
    </div>
  )
}
