import type { NodeVisibility } from '@canopy/client'
import { type Directory, isOnlyWay } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount, plainName } from './format.js'
import { rootName } from './Header.js'
import { Icon } from './icons.js'
import { setVisibility } from './knownVisibilities.js'
import { Name } from './Name.js'
import { followTo, navigate } from './navigation.js'
import type { DirectoryFilter, Line } from './outlineLines.js'
import { words } from './preferences.js'
import { isPreview, type Place, placeHref } from './routes.js'

/** For each level. */
export const indentPixels = 16

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

interface LoadSiblingsProps {
  readonly tree: DirectoryTree
  readonly directory: Directory
  readonly name: string
}

/** Loads the siblings of the way to the current place. */
const LoadSiblings = ({ tree, directory, name }: LoadSiblingsProps) => (
  <button
    type="button"
    class="siblings"
    tabIndex={-1}
    aria-label={words().tree.siblings(plainName(name))}
    title={words().tree.siblings(plainName(name))}
    onClick={() => tree.load(directory)}
  >
    …
  </button>
)

const EntryCount = ({ directory: { content } }: { readonly directory: Directory }) =>
  content === undefined ? null : (
    <span class="count">
      {formatCount(content.directories.length + content.files)}
      {content.next === undefined ? '' : '+'}
    </span>
  )

/** Opens a directory, and keeps the visibilities above it for its chain. */
export const openLine = (tree: DirectoryTree, directory: Directory, { view }: Place): void => {
  for (let each: Directory | undefined = directory; each !== undefined; each = each.parent)
    if (typeof each.visibility === 'object') setVisibility(tree.placeOf(each), each.visibility)
  navigate(placeHref({ ...tree.placeOf(directory), view }))
}

const DirectoryLine = ({ tree, line, place, shows, isHere }: LineRowProps) => {
  const { directory } = line
  const { isOpen, failure, visibility } = directory
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
      <a
        href={placeHref(there)}
        tabIndex={-1}
        title={plainName(name)}
        onClick={(event) => followTo(event, () => openLine(tree, directory, place))}
      >
        <Icon name="folder" class={isHere ? 'folder' : ''} />
        <Name name={name} />
      </a>
      {failure !== undefined && (
        <span class="problem" title={words().notMore}>
          !
        </span>
      )}
      {isOnlyWay(directory) ? (
        <LoadSiblings tree={tree} directory={directory} name={name} />
      ) : (
        isOpen && !isPreview(place.view) && <EntryCount directory={directory} />
      )}
      {typeof visibility === 'object' && !visibility.inherited && <OwnVisibility visibility={visibility} />}
    </>
  )
}

const isLeafLine = ({ directory: { content } }: Line, shows: DirectoryFilter): boolean =>
  content !== undefined && content.next === undefined && !content.directories.some(shows)

export const LineRow = (props: LineRowProps) => {
  const { line, index, top, shows, isHere, isActive } = props
  const { directory, level, position, siblings, loadsMore } = line
  return (
    <div
      role="treeitem"
      id={lineId(index)}
      class={`line-row ${isHere ? 'here' : ''} ${isActive ? 'active' : ''}`}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `${8 + (level - 1) * indentPixels}px` }}
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
