import { useState } from 'preact/hooks'
import { Name } from './Name.js'
import { follow } from './navigation.js'
import { words } from './preferences.js'
import { type Place, placeHref } from './routes.js'

/** More ancestors than this fold into "…", except the first and the last ones. */
const maxCrumbs = 4
const lastCrumbs = 2

interface CrumbProps {
  readonly place: Place
  readonly depth: number
  readonly name: string
}

const Crumb = ({ place, depth, name }: CrumbProps) => {
  const below = place.names[depth]
  return (
    <li>
      <a
        href={placeHref({ ...place, names: place.names.slice(0, depth) })}
        aria-current={below === undefined ? 'page' : undefined}
        onClick={(event) => follow(event, below === undefined ? {} : { selected: below })}
      >
        <Name name={name} />
      </a>
    </li>
  )
}

interface BreadcrumbsProps {
  readonly place: Place
  readonly rootName: string
}

/** The way to a place. A long way folds its middle; a button unfolds it. */
export const Breadcrumbs = ({ place, rootName }: BreadcrumbsProps) => {
  const [isUnfolded, setUnfolded] = useState(false)
  const crumbs = [rootName, ...place.names].map((name, depth) => <Crumb key={depth} {...{ place, depth, name }} />)
  const folded = isUnfolded || crumbs.length <= maxCrumbs ? 0 : crumbs.length - 1 - lastCrumbs
  return (
    <nav class={isUnfolded ? 'breadcrumbs unfolded' : 'breadcrumbs'} aria-label={words().breadcrumbs}>
      <ol>
        {crumbs[0]}
        {folded > 0 && (
          <li>
            <button type="button" aria-label={words().foldedCrumbs(folded)} onClick={() => setUnfolded(true)}>
              …
            </button>
          </li>
        )}
        {crumbs.slice(1 + folded)}
      </ol>
    </nav>
  )
}
