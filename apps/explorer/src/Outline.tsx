// The directories of an area as a tree, one level at a time. Only the rows in view are in the page.
import type { NodeVisibility } from '@canopy/client'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Listing } from './data.js'
import { formatCount, plainName } from './format.js'
import { rootName } from './Header.js'
import { Icon } from './icons.js'
import { Name } from './Name.js'
import { follow, navigate } from './navigation.js'
import { isPreview, type Place, placeHref } from './routes.js'
import { words } from './settings.js'
import { type Directory, type Tree, useTree } from './tree.js'
import { useVirtualizer } from './virtual.js'
import { isShown } from './visitor.js'

interface Line {
  readonly directory: Directory
  readonly level: number
  readonly position: number
  readonly siblings: number
  /** The row that loads the entries that are missing. */
  readonly isRest: boolean
}

type Shows = (directory: Directory) => boolean

const isShownToOwner: Shows = () => true
const isShownToVisitors: Shows = ({ visibility }) => isShown(visibility)

/** The rows that open directories make, from above. */
const linesOf = (tree: Tree, shows: Shows): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const add = (directory: Directory, level: number, position: number, siblings: number): void => {
    lines.push({ directory, level, position, siblings, isRest: false })
    const { isOpen, content } = directory
    if (!isOpen || content === undefined) return
    const shown = content.directories.filter(shows)
    for (const [index, each] of shown.entries()) add(each, level + 1, index + 1, shown.length)
    if (content.after !== undefined)
      lines.push({ directory, level: level + 1, position: shown.length + 1, siblings: shown.length + 1, isRest: true })
  }
  add(tree.root, 1, 1, 1)
  return lines
}

const coarse = matchMedia('(max-width: 640px), (pointer: coarse)')
const lineHeight = (): number => (coarse.matches ? 44 : 28)
const lineId = (index: number): string => `line-${index}`

interface LineRowProps {
  readonly tree: Tree
  readonly line: Line
  readonly index: number
  readonly start: number
  readonly place: Place
  readonly shows: Shows
  readonly isHere: boolean
  readonly isActive: boolean
}

const LineRow = ({ tree, line, index, start, place, shows, isHere, isActive }: LineRowProps) => {
  const { directory, level, position, siblings, isRest } = line
  const { isOpen, content, asking, failure, visibility } = directory
  const at = { ...tree.placeOf(directory), view: place.view }
  const name = directory.above === undefined && at.names.length === 0 ? rootName(at) : directory.name
  const isLeaf = content !== undefined && !content.directories.some(shows) && content.after === undefined
  const aria = {
    id: lineId(index),
    'aria-level': level,
    'aria-setsize': siblings,
    'aria-posinset': position,
    style: { transform: `translateY(${start}px)`, paddingLeft: `${8 + (level - 1) * 16}px` },
  } as const
  if (isRest)
    return (
      <div role="treeitem" {...aria} class={`line-row ${isActive ? 'active' : ''}`} aria-selected={false}>
        <button type="button" class="rest-of" tabIndex={-1} onClick={() => tree.load(directory)}>
          {words().tree.rest}
        </button>
      </div>
    )
  return (
    <div
      role="treeitem"
      {...aria}
      class={`line-row ${isHere ? 'here' : ''} ${isActive ? 'active' : ''}`}
      aria-selected={isHere}
      aria-expanded={isLeaf ? undefined : isOpen}
      aria-busy={asking !== undefined}
    >
      <button
        type="button"
        class="twisty"
        tabIndex={-1}
        aria-label={words().tree.toggle(plainName(name))}
        disabled={isLeaf}
        onClick={() => tree.setOpen(directory, !isOpen)}
      >
        {!isLeaf && <Icon name="twisty" class={isOpen ? 'open' : ''} />}
      </button>
      <a href={placeHref(at)} tabIndex={-1} title={plainName(name)} onClick={follow}>
        <Icon name="folder" class={isHere ? 'folder' : ''} />
        <Name name={name} />
      </a>
      {failure !== undefined && (
        <span class="problem" title={words().notMore}>
          !
        </span>
      )}
      {isOpen && content !== undefined && !isPreview(place.view) && (
        <span class="count">
          {formatCount(content.directories.length + content.files)}
          {content.after === undefined ? '' : '+'}
        </span>
      )}
      {!visibility.inherited && (
        <span class={`set ${visibility.visibility}`} title={words().meaning(visibility)}>
          <Icon name={visibility.visibility} />
          <span class="away">{words().visibility[visibility.visibility]}</span>
        </span>
      )}
    </div>
  )
}

const Lines = ({ tree, place }: OutlineProps) => {
  const scroller = useRef<HTMLDivElement>(null)
  const shows = isPreview(place.view) ? isShownToVisitors : isShownToOwner
  const lines = useMemo(() => linesOf(tree, shows), [tree, tree.version(), shows])
  const viewed = tree.find(place.names)
  const here = useMemo(
    () => lines.findIndex(({ directory, isRest }) => !isRest && directory === viewed),
    [lines, viewed],
  )
  const [active, setActive] = useState(-1)
  const chosen = active < 0 ? Math.max(here, 0) : Math.min(active, lines.length - 1)
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: lineHeight,
    scrollMargin: 0,
    scrollPaddingStart: 0,
    overscan: 12,
    initialOffset: 0,
  })
  const path = placeHref(place)
  useEffect(() => {
    setActive(-1)
    if (here >= 0) virtualizer.scrollToIndex(here)
  }, [path, here >= 0])

  const line = lines[chosen]
  const moveTo = (index: number): void => {
    const at = Math.max(0, Math.min(index, lines.length - 1))
    setActive(at)
    virtualizer.scrollToIndex(at)
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => moveTo(chosen + 1),
    ArrowUp: () => moveTo(chosen - 1),
    Home: () => moveTo(0),
    End: () => moveTo(lines.length - 1),
    ArrowRight: () => {
      if (line === undefined || line.isRest) return
      if (line.directory.isOpen) moveTo(chosen + 1)
      else tree.setOpen(line.directory, true)
    },
    ArrowLeft: () => {
      if (line === undefined) return
      if (!line.isRest && line.directory.isOpen) return tree.setOpen(line.directory, false)
      const above = line.isRest ? line.directory : line.directory.above
      moveTo(lines.findIndex(({ directory }) => directory === above))
    },
    Enter: () => {
      if (line?.isRest) void tree.load(line.directory)
      else if (line !== undefined) navigate(placeHref({ ...tree.placeOf(line.directory), view: place.view }))
    },
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = keys[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  const inView = virtualizer.getVirtualItems()
  return (
    <div
      ref={scroller}
      class="lines"
      role="tree"
      tabIndex={0}
      aria-label={words().tree.title}
      aria-activedescendant={inView.some(({ index }) => index === chosen) ? lineId(chosen) : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="lines-all" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {inView.map(({ index, start }) => {
          const each = lines[index]
          return (
            each !== undefined && (
              <LineRow
                key={index}
                tree={tree}
                line={each}
                index={index}
                start={start}
                place={place}
                shows={shows}
                isHere={index === here}
                isActive={index === chosen}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** Reads the whole tree below the directory in view, says how far it is, and can be stopped. */
const ExpandAll = ({ tree, place }: OutlineProps) => {
  const expanding = tree.expanding()
  const here = tree.find(place.names)
  const isWhole = useMemo(() => here !== undefined && isExpanded(here), [here, here?.content, expanding])
  if (expanding === undefined)
    return (
      <button type="button" disabled={here === undefined || isWhole} onClick={() => here && tree.expand(here)}>
        {words().tree.expandAll}
      </button>
    )
  const { directories, files } = expanding.progress
  return (
    <>
      <span class="progress" role="status">
        {words().tree.progress(formatCount(directories + files))}
      </span>
      <button type="button" onClick={expanding.cancel}>
        {words().tree.cancel}
      </button>
    </>
  )
}

const isExpanded = ({ content }: Directory): boolean =>
  content !== undefined && content.after === undefined && content.directories.every(isExpanded)

interface OutlineProps {
  readonly tree: Tree
  readonly place: Place
}

/** `visibilities` are those from the root of the area to the place. */
export const Outline = ({ place, visibilities, listing }: OutlineOfProps) => {
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

interface OutlineOfProps {
  readonly place: Place
  readonly visibilities: ReadonlyArray<NodeVisibility | undefined>
  readonly listing: Listing
}
