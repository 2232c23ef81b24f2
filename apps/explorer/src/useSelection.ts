import type { DirectoryItem } from '@canopy/client'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { memory, remember } from './navigation.js'
import type { Place } from './routes.js'

export interface Selection {
  /** -1 without a selection. */
  readonly index: number
  readonly item: DirectoryItem | undefined
  readonly select: (index: number) => void
}

/** Selects a row by name, so that it stays selected in another order. The history remembers it. */
export const useSelection = (
  place: Place,
  rows: ReadonlyArray<DirectoryItem>,
  onSelect: (item: DirectoryItem | undefined) => void,
): Selection => {
  const [name, setName] = useState(() => memory().selected)
  const index = useMemo(() => rows.findIndex((row) => row.name === name), [rows, name])
  const item = rows[index]
  useEffect(() => onSelect(item), [item])
  const select = useCallback(
    (chosen: number) => {
      const selected = rows[chosen]?.name
      if (selected === undefined) return
      setName(selected)
      remember(place, { selected })
    },
    [place, rows],
  )
  return { index, item, select }
}
