import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isExpanded, isOnlyWay } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount } from './format.js'
import type { SeenVisibility } from './knownVisibilities.js'
import { indentPixels, LineRow, lineId, openLine } from './LineRow.js'
import type { Listing } from './ListingLoader.js'
import { type Line, linesOf, showAll, showVisitors } from './outlineLines.js'
import { words } from './preferences.js'
import { isPreview, type Place, placeHref } from './routes.js'
import { cssPixels, useRowWindow } from './useRowWindow.js'
import { useTree } from './useTree.js'

interface LinesProps {
  readonly tree: DirectoryTree
  readonly place: Place
}

interface LineKeysOptions extends LinesProps {
  readonly lines: ReadonlyArray<Line>
  readonly active: number
  readonly moveTo: (index: number) => void
}

const indentOf = (line: Line | undefined): number => ((line?.level ?? 1) - 1) * indentPixels

/** The keys of a tree, by the ARIA practices. */
const lineKeys = ({ tree, place, lines, active, moveTo }: LineKeysOptions): Readonly<Record<string, () => void>> => {
  const line = lines[active]
  if (line === undefined) return {}
  const { directory, loadsMore } = line
  return {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(active - 1),
    Home: () => moveTo(0),
    End: () => moveTo(lines.length - 1),
    ArrowRight: () => {
      if (loadsMore) return
      if (isOnlyWay(directory)) void tree.load(directory)
      else if (directory.isOpen) moveTo(active + 1)
      else tree.setOpen(directory, true)
    },
    ArrowLeft: () => {
      if (!loadsMore && directory.isOpen) return tree.setOpen(directory, false)
      const parent = loadsMore ? directory : directory.parent
      moveTo(lines.findIndex((each) => each.directory === parent))
    },
    Enter: () => {
      if (loadsMore) void tree.load(directory)
      else openLine(tree, directory, place)
    },
  }
}

/** The tree of directories. Only the lines in view are in the page. */
const Lines = ({ tree, place }: LinesProps) => {
  const scroller = useRef<HTMLDivElement>(null)
  const shows = isPreview(place.view) ? showVisitors : showAll
  const lines = useMemo(() => linesOf(tree, shows), [tree, tree.version, shows])
  const viewed = tree.find(place.names)
  const here = useMemo(
    () => lines.findIndex(({ directory, loadsMore }) => !loadsMore && directory === viewed),
    [lines, viewed],
  )
  // -1 until the person moves with keys.
  const [moved, setMoved] = useState(-1)
  const active = moved < 0 ? Math.max(here, 0) : Math.min(moved, lines.length - 1)
  const { height, rows, scrollToRow } = useRowWindow({
    scroller,
    count: lines.length,
    rowHeight: cssPixels('--line-height'),
  })
  // Deep lines begin far to the right.
  const show = (index: number): void => {
    scrollToRow(index)
    const { current } = scroller
    if (current !== null) current.scrollLeft = Math.max(0, indentOf(lines[index]) - current.clientWidth / 8)
  }
  useEffect(() => {
    setMoved(-1)
    if (here >= 0) show(here)
  }, [placeHref(place), here >= 0])

  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(index, lines.length - 1))
    setMoved(next)
    show(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = lineKeys({ tree, place, lines, active, moveTo })[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  return (
    <div
      ref={scroller}
      class="lines"
      role="tree"
      tabIndex={0}
      aria-label={words().tree.title}
      aria-activedescendant={rows.some(({ index }) => index === active) ? lineId(active) : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="lines-all" role="presentation" style={{ height: `${height}px` }}>
        {rows.map(({ index, top }) => {
          const line = lines[index]
          const [isHere, isActive] = [index === here, index === active]
          return line && <LineRow key={index} {...{ tree, line, index, top, place, shows, isHere, isActive }} />
        })}
      </div>
    </div>
  )
}

/** Loads the whole subtree of the directory on the page, with progress. */
const ExpandAll = ({ tree, place }: LinesProps) => {
  const { expansion } = tree
  const here = tree.find(place.names)
  const isComplete = useMemo(() => here !== undefined && isExpanded(here), [here, here?.content, expansion])
  if (expansion === undefined)
    return (
      <button type="button" disabled={here === undefined || isComplete} onClick={() => here && tree.expand(here)}>
        {words().tree.expandAll}
      </button>
    )
  return (
    <>
      <span class="progress" role="status">
        {words().tree.progress(formatCount(expansion.nodeCount))}
      </span>
      <button type="button" onClick={expansion.cancel}>
        {words().tree.cancel}
      </button>
    </>
  )
}

interface OutlineProps {
  readonly place: Place
  /** From the root of the area to the place. */
  readonly visibilities: ReadonlyArray<SeenVisibility>
  readonly listing: Listing
}

/** The directories of an area as a tree. */
export const Outline = ({ place, visibilities, listing }: OutlineProps) => {
  const tree = useTree(place, visibilities, listing)
  return (
    <>
      <div class="panel-head">
        <h2>{words().tree.title}</h2>
        {tree !== undefined && <ExpandAll tree={tree} place={place} />}
      </div>
      {tree !== undefined && <Lines tree={tree} place={place} />}
    </>
  )
}
