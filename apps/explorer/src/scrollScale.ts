// Maps the scrollbar to all rows of a list, which may be taller than any element of a browser.

/** Heights in pixels: of all rows, of the rows in view, and of the tallest element. */
export interface Extent {
  readonly total: number
  readonly view: number
  readonly max: number
}

/**
 * Half of 2^25 physical pixels, where Chromium cuts elements off. Firefox cuts them off at 17.9 million CSS pixels, at any
 * density.
 */
export const maxElementHeight = (density: number): number => 2 ** 24 / Math.max(1, density)

/** Returns the height of the element that the scrollbar moves. */
export const elementHeight = ({ total, max }: Extent): number => Math.min(total, max)

const maxOffset = ({ total, view }: Extent): number => Math.max(0, total - view)

export const clampOffset = (offset: number, extent: Extent): number => Math.max(0, Math.min(offset, maxOffset(extent)))

/** Pixels of the list for each pixel of the scrollbar: 1 unless the list is too tall. */
const scaleOf = (extent: Extent): number =>
  extent.total <= extent.max ? 1 : maxOffset(extent) / (extent.max - extent.view)

export const scrollTopAt = (offset: number, extent: Extent): number => offset / scaleOf(extent)

/**
 * Returns the offset in the list after the scrollbar moved. A short move (wheel, touch) scrolls by pixels, so that it skips no
 * row. A long move is a drag or a jump: the scrollbar's position decides.
 */
export const offsetAfterScroll = (
  before: { readonly offset: number; readonly scrollTop: number },
  scrollTop: number,
  extent: Extent,
): number => {
  const scale = scaleOf(extent)
  const distance = scrollTop - before.scrollTop
  const isShort = scale > 1 && Math.abs(distance) <= 2 * extent.view
  return clampOffset(isShort ? before.offset + distance : scrollTop * scale, extent)
}
