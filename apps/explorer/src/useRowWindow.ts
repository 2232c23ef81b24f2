import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'
import {
  clampOffset,
  type Extent,
  elementHeight,
  maxElementHeight,
  offsetAfterScroll,
  scrollTopAt,
} from './scrollScale.js'

/** Returns the value of a CSS custom property in pixels. Media queries may change it. */
export const cssPixels = (property: string): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(property))

interface RowWindowOptions {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly count: number
  readonly rowHeight: number
  /** The height of a sticky header above the rows. */
  readonly headHeight?: number
  readonly initialOffset?: number
  /** Called after a jump, and when scrolling has stopped. */
  readonly onRest?: (offset: number) => void
}

/** A rendered row, and its position in the tall element that scrolls. */
export interface PlacedRow {
  readonly index: number
  readonly top: number
}

export interface RowWindow {
  /** The height of the element that scrolls. */
  readonly height: number
  readonly rows: ReadonlyArray<PlacedRow>
  readonly scrollToRow: (index: number, align?: 'nearest' | 'center') => void
}

/** Rows above and below the view, so that scrolling does not show blank space. */
const overscan = 12

const restMs = 200

/**
 * The scroll position. `offset` counts pixels of the whole list, `scrollTop` those of the element, which is shorter if the list
 * exceeds the browser's limit.
 */
class ScrollPosition {
  offset: number
  scrollTop = 0
  options: RowWindowOptions

  constructor(options: RowWindowOptions) {
    this.options = options
    this.offset = options.initialOffset ?? 0
  }

  get extent(): Extent {
    const { scroller, count, rowHeight, headHeight = 0 } = this.options
    const view = Math.max(0, (scroller.current?.clientHeight ?? 0) - headHeight)
    return { total: count * rowHeight, view, max: maxElementHeight(devicePixelRatio) }
  }

  /** Updates `offset` from the scrollbar. */
  follow(): void {
    const scrollTop = this.options.scroller.current?.scrollTop ?? this.scrollTop
    this.offset = offsetAfterScroll(this, scrollTop, this.extent)
    this.scrollTop = scrollTop
  }

  /** Scrolls to an offset of the list. */
  moveTo(offset: number): void {
    const { current } = this.options.scroller
    this.offset = clampOffset(offset, this.extent)
    if (current === null) return
    current.scrollTop = scrollTopAt(this.offset, this.extent)
    this.scrollTop = current.scrollTop
  }

  offsetOf(index: number, align: 'nearest' | 'center'): number {
    const { rowHeight } = this.options
    const { view } = this.extent
    const top = index * rowHeight
    if (align === 'center') return top - (view - rowHeight) / 2
    return Math.min(top, Math.max(this.offset, top + rowHeight - view))
  }

  rows(): ReadonlyArray<PlacedRow> {
    const { count, rowHeight } = this.options
    const first = Math.max(0, Math.floor(this.offset / rowHeight) - overscan)
    const end = Math.min(count, Math.ceil((this.offset + this.extent.view) / rowHeight) + overscan)
    const shift = Math.round(this.scrollTop - this.offset)
    return Array.from({ length: Math.max(0, end - first) }, (_, place) => ({
      index: first + place,
      top: (first + place) * rowHeight + shift,
    }))
  }
}

/** Virtualizes a list of rows with a fixed height. */
export const useRowWindow = (options: RowWindowOptions): RowWindow => {
  const [, render] = useReducer<number, void>((count) => count + 1, 0)
  const [position] = useState(() => new ScrollPosition(options))
  position.options = options
  const { extent } = position

  useLayoutEffect(() => {
    const scroller = options.scroller.current
    if (scroller === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (): void => {
      // Scrolling by pixels has left the scrollbar out of proportion.
      position.moveTo(position.offset)
      render()
      position.options.onRest?.(position.offset)
    }
    const onScroll = (): void => {
      position.follow()
      render()
      clearTimeout(timer)
      timer = setTimeout(settle, restMs)
    }
    const resized = new ResizeObserver(() => render())
    resized.observe(scroller)
    scroller.addEventListener('scroll', onScroll, { passive: true })
    position.moveTo(position.offset)
    return () => {
      clearTimeout(timer)
      resized.disconnect()
      scroller.removeEventListener('scroll', onScroll)
    }
  }, [])

  // If the list became shorter, the browser has clamped the scroll position.
  useLayoutEffect(() => {
    position.follow()
    render()
  }, [extent.total])

  return {
    height: elementHeight(extent),
    rows: position.rows(),
    scrollToRow: (index, align = 'nearest') => {
      position.moveTo(position.offsetOf(index, align))
      position.options.onRest?.(position.offset)
      render()
    },
  }
}
