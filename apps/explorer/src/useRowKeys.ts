import type { DirectoryItem } from '@canopy/client'
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useKeys } from './keys.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { navigate } from './navigation.js'
import { childOf, placeHref } from './routes.js'
import type { Selection } from './useSelection.js'

interface RowKeysOptions {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly rows: ReadonlyArray<DirectoryItem>
  readonly selection: Selection
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly scrollToRow: (index: number) => void
  /** Rows that Page Up and Page Down pass over. */
  readonly pageRows: number
}

/** Keys that move the selection and open it. */
export const useRowKeys = (options: RowKeysOptions): void => {
  const { listing, loader, rows, selection, scroller, scrollToRow, pageRows } = options
  const { place, complete } = listing
  const { index, item } = selection
  const moveTo = (wanted: number): void => {
    const next = Math.max(0, Math.min(wanted, rows.length - 1))
    selection.select(next)
    scrollToRow(next)
    scroller.current?.focus()
  }
  const open = (): void => {
    if (item !== undefined) navigate(placeHref(childOf(place, item.name)))
  }
  // The last row is known once the listing is complete.
  const [goesToEnd, setGoesToEnd] = useState(false)
  useEffect(() => {
    if (!goesToEnd || !complete) return
    setGoesToEnd(false)
    moveTo(rows.length - 1)
  }, [goesToEnd, complete])
  useKeys({
    ArrowDown: () => moveTo(index + 1),
    ArrowUp: () => moveTo(index < 0 ? 0 : index - 1),
    PageDown: () => moveTo(index + pageRows),
    PageUp: () => moveTo(index - pageRows),
    Home: () => moveTo(0),
    End: () => {
      loader.loadAll()
      setGoesToEnd(true)
    },
    Enter: open,
    ArrowRight: () => item?.is_file === false && open(),
  })
}
