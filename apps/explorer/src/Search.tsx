// The results of a search below a directory, with their folders.
import type { WalkedNode } from '@canopy/client'
import { plainName } from './format.js'
import { Icon, kindOf } from './icons.js'
import { Name } from './Name.js'
import { follow } from './navigation.js'
import { words } from './preferences.js'
import { Changed, Size } from './Row.js'
import { type Place, placeHref } from './routes.js'
import { type Searching, useSearch } from './useSearch.js'

interface ResultProps {
  /** The directory that was searched. */
  readonly place: Place
  readonly found: WalkedNode
}

const Result = ({ place, found: { type, path, size, last_modified } }: ResultProps) => {
  const names = path.slice(1).split('/')
  const name = names.at(-1) ?? ''
  const isFile = type === 'file'
  const kind = kindOf({ is_file: isFile, name })
  const folder = { ...place, names: names.slice(0, -1) }
  const below = `/${folder.names.slice(place.names.length).join('/')}`
  return (
    <li class="result">
      <a href={placeHref({ ...place, names })} title={plainName(name)} onClick={follow}>
        <Icon name={kind} class={kind} label={words().kinds[kind]} />
        <Name name={name} />
      </a>
      <a
        class="quiet"
        href={placeHref(folder)}
        title={plainName(below)}
        onClick={(event) => follow(event, { selected: name })}
      >
        <Name name={below} />
      </a>
      <span class="quiet size">{isFile && <Size bytes={size} />}</span>
      <span class="quiet">
        <Changed seconds={last_modified} />
      </span>
    </li>
  )
}

const Status = ({ found: { length }, state, cancel }: Searching) => (
  <p class="search-status">
    <span role="status">{words().search.states[state](length)}</span>
    {state === 'searching' && (
      <button type="button" onClick={cancel}>
        {words().search.cancel}
      </button>
    )}
  </p>
)

interface SearchProps {
  readonly place: Place
  readonly text: string
}

export const Search = ({ place, text }: SearchProps) => {
  const searching = useSearch(place, text)
  return (
    <section class="search" aria-label={words().search.title}>
      <Status {...searching} />
      <ul>
        {searching.found.map((found) => (
          <Result key={found.path} place={place} found={found} />
        ))}
      </ul>
    </section>
  )
}
