import type { DirectoryItem, NodeVisibility } from '@canopy/client'
import { useMemo } from 'preact/hooks'
import { copyLink, copyPath } from './announcements.js'
import { formatCount, formatSize, formatTime, plainName } from './format.js'
import { Icon, IconButton, kindOf } from './icons.js'
import { Name } from './Name.js'
import { follow } from './navigation.js'
import { setPanel } from './panels.js'
import { preferences, words } from './preferences.js'
import { childOf, type Place, placeHref } from './routes.js'

/** Coloured if set on the node itself, grey if inherited. */
export const VisibilityMark = ({ visibility }: { readonly visibility: NodeVisibility }) => (
  <span
    class={`visibility ${visibility.visibility} ${visibility.inherited ? 'inherited' : 'own'}`}
    title={words().meaning(visibility)}
  >
    <Icon name={visibility.visibility} />
    {words().visibility[visibility.visibility]}
  </span>
)

export const Size = ({ bytes }: { readonly bytes: bigint }) => (
  <span title={words().bytes(formatCount(bytes))}>{formatSize(bytes)}</span>
)

export const Changed = ({ seconds }: { readonly seconds: bigint }) => {
  const { short, exact, machine } = formatTime(seconds)
  return (
    <time title={exact} dateTime={machine}>
      {short}
    </time>
  )
}

export const rowId = (index: number): string => `row-${index}`

interface RowProps {
  readonly place: Place
  readonly item: DirectoryItem
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
  /** The size of a folder whose subtree is loaded. */
  readonly folderSize: bigint | undefined
  readonly select: (index: number) => void
}

const RowActions = ({ child }: { readonly child: Place }) => (
  <div role="gridcell" class="cell-actions">
    <IconButton icon="copy" label={words().copyPath} class="" tabIndex={-1} onClick={() => copyPath(child)} />
    <IconButton icon="link" label={words().copyLink} class="" tabIndex={-1} onClick={() => copyLink(child)} />
  </div>
)

export const Row = ({ place, item, index, top, isSelected, folderSize, select }: RowProps) => {
  const { language } = preferences()
  // Preact skips an identical element, and scrolling leaves most rows unchanged.
  return useMemo(() => {
    const child = childOf(place, item.name)
    const kind = kindOf(item)
    const size = item.is_file ? item.size : folderSize
    // Selects before it follows, so that the selection belongs to this place in the history.
    const open = (event: MouseEvent): void => {
      select(index)
      follow(event)
    }
    return (
      <div
        role="row"
        id={rowId(index)}
        class={isSelected ? 'row selected' : 'row'}
        style={{ transform: `translateY(${top}px)` }}
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        onClick={(event) => !event.defaultPrevented && select(index)}
      >
        <div role="gridcell" class="cell-name">
          <a href={placeHref(child)} tabIndex={-1} title={plainName(item.name)} onClick={open}>
            <Icon name={kind} class={kind} label={words().kinds[kind]} />
            <Name name={item.name} />
          </a>
        </div>
        <div role="gridcell" class="cell-visibility">
          <button type="button" tabIndex={-1} onClick={() => setPanel('why', true)}>
            <VisibilityMark visibility={item.visibility} />
          </button>
        </div>
        <div role="gridcell" class="cell-size">
          {size === undefined ? <span class="none">—</span> : <Size bytes={size} />}
        </div>
        <div role="gridcell" class="cell-time">
          <Changed seconds={item.last_modified} />
        </div>
        <RowActions child={child} />
      </div>
    )
  }, [place, item, index, top, isSelected, folderSize, select, language])
}
