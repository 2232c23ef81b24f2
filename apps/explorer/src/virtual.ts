import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

type Options = VirtualizerOptions<HTMLDivElement, HTMLDivElement>
type Given = Pick<
  Options,
  'count' | 'getScrollElement' | 'estimateSize' | 'scrollMargin' | 'scrollPaddingStart' | 'overscan' | 'initialOffset'
>

/** The rows that are in view, by TanStack Virtual, which has no adapter for Preact. */
export const useVirtualizer = (given: Given): Virtualizer<HTMLDivElement, HTMLDivElement> => {
  const [, render] = useReducer<number, void>((count) => count + 1, 0)
  const options: Options = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render(),
    ...given,
  }
  const [virtualizer] = useState(() => new Virtualizer(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  return virtualizer
}
