import { useState } from 'preact/hooks'
import { announce, copyLink, copyPath } from './announcements.js'
import { forget, secret } from './credentials.js'
import { IconButton, Logo } from './icons.js'
import { Name } from './Name.js'
import { follow, memory, navigate } from './navigation.js'
import { PublicLinkButton } from './PublicLink.js'
import { words } from './preferences.js'
import { isPreview, type Place, placeHref, type Route, startHref } from './routes.js'
import { ThemeButton } from './Theme.js'

export const rootName = ({ view }: Place): string =>
  view.as === 'owner' ? words().yourFiles : words().filesOf(view.user)

const signOut = (): void => {
  forget('token')
  navigate(startHref)
  announce(words().signedOut)
}

/** Switches between the owner's view and a visitor's. */
const ViewSwitch = ({ place }: { readonly place: Place }) => {
  const choice = (preview: boolean, label: string) => (
    <button
      type="button"
      aria-pressed={isPreview(place.view) === preview}
      onClick={() => navigate(placeHref({ ...place, view: { as: 'owner', preview } }), memory())}
    >
      {label}
    </button>
  )
  return (
    <div class="switch" role="group" aria-label={words().preview.label}>
      {choice(false, words().preview.owner)}
      {choice(true, words().preview.visitor)}
    </div>
  )
}

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
const Breadcrumbs = ({ place, rootName }: BreadcrumbsProps) => {
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

const PlaceActions = ({ place }: { readonly place: Place }) => (
  <>
    {place.view.as === 'owner' && <PublicLinkButton place={place} />}
    <button type="button" onClick={() => copyLink(place)}>
      {words().copyLink}
    </button>
    <button type="button" onClick={() => copyPath(place)}>
      {words().copyPath}
    </button>
  </>
)

interface HeaderProps {
  readonly route: Route
  readonly showHelp: () => void
}

export const Header = ({ route, showHelp }: HeaderProps) => {
  const place = route.page === 'place' ? route.place : undefined
  const hasToken = secret('token') !== undefined
  // On narrow screens, the actions show on demand.
  const [hasMore, setMore] = useState(false)
  return (
    <header class="bar">
      <a class="brand" href={startHref} aria-label={`Canopy: ${words().start}`} onClick={follow}>
        <Logo />
        <strong>Canopy</strong>
      </a>
      {place !== undefined && <Breadcrumbs key={placeHref(place)} place={place} rootName={rootName(place)} />}
      {place !== undefined &&
        (place.view.as === 'owner' ? <ViewSwitch place={place} /> : <span class="view">{words().visitorView}</span>)}
      <IconButton
        icon="more"
        label={words().more}
        class="square more"
        aria-expanded={hasMore}
        onClick={() => setMore(!hasMore)}
      />
      <div class={hasMore ? 'actions shown' : 'actions'}>
        {place !== undefined && <PlaceActions place={place} />}
        {hasToken && (
          <button type="button" title={words().signOutHint} onClick={signOut}>
            {words().signOut}
          </button>
        )}
        <ThemeButton />
        <button type="button" class="square" aria-label={words().keys.help} aria-keyshortcuts="?" onClick={showHelp}>
          ?
        </button>
      </div>
    </header>
  )
}
