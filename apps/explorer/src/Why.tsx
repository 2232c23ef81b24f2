// What is known of the selected entry or of the directory itself, and why visitors can or cannot see it.
import type { DirectoryItem } from '@canopy/client'
import { useState } from 'preact/hooks'
import type { Listing, Loader } from './data.js'
import { formatCount, formatTime } from './format.js'
import { rootName } from './Header.js'
import { Icon, kindOf } from './icons.js'
import { lazily } from './lazy.js'
import { Name, Visible } from './Name.js'
import { Changed, Size } from './Row.js'
import { isPreview } from './routes.js'
import { words } from './settings.js'
import { type Tree, useTree } from './tree.js'
import { type Link, reasonOf } from './visitor.js'

const useTreemap = lazily(() => import('./Treemap.js'))

/** From the root on: which setting decides, and what the others are. */
export const Chain = ({ links }: { readonly links: ReadonlyArray<Link> }) => {
  const reason = reasonOf(links)
  const { chain } = words()
  const decider = reason?.decider === undefined ? undefined : links[reason.decider]
  return (
    <ol class="chain">
      {reason !== undefined && reason.decider === undefined && (
        <li class="decides">
          <span class="dot" />
          <span class="name">{chain.above}</span>
        </li>
      )}
      {links.map(({ name, visibility }, depth) => {
        const decides = depth === reason?.decider
        const isLast = depth === links.length - 1
        return (
          <li key={depth} class={decides ? `decides ${visibility?.visibility}` : ''}>
            <span class="dot" />
            <Name name={depth === 0 ? '/' : name} />
            {visibility === undefined ? (
              <span class="quiet">{chain.closed}</span>
            ) : visibility.inherited || (depth === 0 && visibility.visibility === 'private') ? (
              <span class="quiet">
                {isLast && depth > 0 && decider !== undefined
                  ? chain.from(decider.name === '' ? '/' : decider.name)
                  : words().visibility[visibility.visibility]}
              </span>
            ) : (
              <span class={`visibility own ${visibility.visibility}`}>
                <Icon name={visibility.visibility} />
                {isLast
                  ? chain.here(words().visibility[visibility.visibility])
                  : words().visibility[visibility.visibility]}
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** Why one node has its visibility. */
export const Reasons = ({ links }: { readonly links: ReadonlyArray<Link> }) => (
  <section class="reasons">
    <h2>{words().chain.title}</h2>
    <Access links={links} />
    <Chain links={links} />
  </section>
)

/** What visitors can do with a node, in one sentence. */
export const Access = ({ links }: { readonly links: ReadonlyArray<Link> }) => {
  const reason = reasonOf(links)
  return reason === undefined ? null : <p class="access">{words().access[reason.access]}</p>
}

/** Where the bytes of a directory are, when it is asked for. */
const Sizes = ({ listing, loader, tree }: SizesProps) => {
  const [isShown, show] = useState(false)
  const treemap = useTreemap(isShown)
  return (
    <section class="sizes">
      <h3>{words().map.title}</h3>
      {!isShown ? (
        <button type="button" onClick={() => show(true)}>
          {words().map.show}
        </button>
      ) : (
        treemap !== undefined && tree !== undefined && <treemap.Treemap listing={listing} loader={loader} tree={tree} />
      )}
    </section>
  )
}

interface SizesProps {
  readonly listing: Listing
  readonly loader: Loader
  readonly tree: Tree | undefined
}

interface WhyProps {
  readonly listing: Listing
  readonly loader: Loader
  /** The selected entry; `undefined` for the directory itself. */
  readonly item: DirectoryItem | undefined
  /** From the root to the directory itself. */
  readonly links: ReadonlyArray<Link>
}

const entriesOf = (tree: Tree | undefined, names: ReadonlyArray<string>): string | undefined => {
  const content = tree?.find(names)?.content
  if (content === undefined) return undefined
  return `${formatCount(content.directories.length + content.files)}${content.after === undefined ? '' : '+'}`
}

export const Why = ({ listing, loader, item, links }: WhyProps) => {
  const { place } = listing
  const tree = useTree(
    place,
    links.map(({ visibility }) => visibility),
    listing,
  )
  const name = item?.name ?? place.names.at(-1) ?? rootName(place)
  const isFile = item?.is_file ?? false
  // Counts and sums are those of all that is there.
  const preview = isPreview(place.view)
  const subject = item === undefined ? links : [...links, item]
  const names = item === undefined ? place.names : [...place.names, item.name]
  return (
    <>
      <h2>
        <Visible text={name} />
      </h2>
      <Access links={subject} />
      <dl class="facts">
        <dt>{words().kind}</dt>
        <dd>{words().kinds[kindOf({ is_file: isFile, name })]}</dd>
        {!isFile && !preview && (
          <>
            <dt>{words().entriesLabel}</dt>
            <dd>{entriesOf(tree, names) ?? (item === undefined ? '' : '—')}</dd>
          </>
        )}
        {item?.is_file && (
          <>
            <dt>{words().columns.size}</dt>
            <dd>
              <Size bytes={item.size} />
            </dd>
          </>
        )}
        {item !== undefined && (
          <>
            <dt>{words().columns.time}</dt>
            <dd title={formatTime(item.last_modified).exact}>
              <Changed seconds={item.last_modified} />
            </dd>
          </>
        )}
      </dl>
      <h3>{words().chain.title}</h3>
      <Chain links={subject} />
      {!preview && <Sizes listing={listing} loader={loader} tree={tree} />}
    </>
  )
}
