import type { NodeVisibility } from '@canopy/client'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount, plainName } from './format.js'
import { rootName } from './Header.js'
import { Icon } from './icons.js'
import { Name } from './Name.js'
import { follow } from './navigation.js'
import type { DirectoryFilter, Line } from './outlineLines.js'
import { words } from './preferences.js'
import { isPreview, type Place, placeHref } from './routes.js'

export const lineId = (index: number): string => `line-${index}`

interface LineRowProps {
  readonly tree: DirectoryTree
  readonly line: Line
  readonly index: number
  readonly top: number
  /** The directory on the page. */
  readonly place: Place
  readonly shows: DirectoryFilter
  readonly isHere: boolean
  readonly isActive: boolean
}

const OwnVisibility = ({ visibility }: { readonly visibility: NodeVisibility }) => (
  <span class={`set ${visibility.visibility}`} title={words().meaning(visibility)}>
    <Icon name={visibility.visibility} />
    <span class="away">{words().visibility[visibility.visibility]}</span>
  </span>
)

const LoadMore = ({ tree, line }: Pick<LineRowProps, 'tree' | 'line'>) => (
  <button type="button" class="rest-of" tabIndex={-1} onClick={() => tree.load(line.directory)}>
    {words().tree.rest}
  </button>
)

const DirectoryLine = ({ tree, line, place, shows, isHere }: LineRowProps) => {
  const { directory } = line
  const { isOpen, content, failure, visibility } = directory
  const there = { ...tree.placeOf(directory), view: place.view }
  const name = there.names.length === 0 ? rootName(there) : directory.name
  const isLeaf = isLeafLine(line, shows)
  return (
    <>
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
      <a href={placeHref(there)} tabIndex={-1} title={plainName(name)} onClick={follow}>
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
      {!visibility.inherited && <OwnVisibility visibility={visibility} />}
    </>
  )
}

const isLeafLine = ({ directory: { content } }: Line, shows: DirectoryFilter): boolean =>
  content !== undefined && content.after === undefined && !content.directories.some(shows)

export const LineRow = (props: LineRowProps) => {
  const { line, index, top, shows, isHere, isActive } = props
  const { directory, level, position, siblings, loadsMore } = line
  return (
    <div
      role="treeitem"
      id={lineId(index)}
      class={`line-row ${isHere ? 'here' : ''} ${isActive ? 'active' : ''}`}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `${8 + (level - 1) * 16}px` }}
      aria-level={level}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-selected={isHere}
      aria-expanded={loadsMore || isLeafLine(line, shows) ? undefined : directory.isOpen}
      aria-busy={!loadsMore && directory.loading !== undefined}
    >
      {loadsMore ? <LoadMore {...props} /> : <DirectoryLine {...props} />}
    </div>
  )
}
