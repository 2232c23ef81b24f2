import { announce, copyLink, copyPath } from './announcements.js'
import { forget, secret } from './credentials.js'
import { isPlain } from './format.js'
import { Logo } from './icons.js'
import { Name } from './Name.js'
import { follow, memory, navigate } from './navigation.js'
import { words } from './preferences.js'
import { isPreview, type Place, placeHref, type Route, startHref } from './routes.js'
import { ThemeButton } from './Theme.js'

export const rootName = ({ view }: Place): string =>
  view.as === 'owner' ? words().yourFiles : words().filesOf(view.user)

const Breadcrumbs = ({ place }: { readonly place: Place }) => {
  const { names } = place
  const crumbs = [rootName(place), ...names]
  return (
    <nav class="breadcrumbs" aria-label={words().breadcrumbs}>
      <ol>
        {crumbs.map((name, depth) => {
          const below = names[depth]
          const href = placeHref({ ...place, names: names.slice(0, depth) })
          return (
            <li key={href}>
              <a
                href={href}
                aria-label={isPlain(name) ? name : undefined}
                aria-current={depth === names.length ? 'page' : undefined}
                onClick={(event) => follow(event, below === undefined ? {} : { selected: below })}
              >
                <Name name={name} />
              </a>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

const forgetToken = (): void => {
  forget('token')
  navigate(startHref)
  announce(words().forgotten)
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

interface HeaderProps {
  readonly route: Route
  readonly showHelp: () => void
}

export const Header = ({ route, showHelp }: HeaderProps) => {
  const place = route.page === 'place' ? route.place : undefined
  const hasToken = secret('token') !== undefined
  return (
    <header class="bar">
      <a class="brand" href={startHref} aria-label={`Canopy: ${words().start}`} onClick={follow}>
        <Logo />
        <strong>Canopy</strong>
      </a>
      {place !== undefined && <Breadcrumbs place={place} />}
      {place !== undefined &&
        (place.view.as === 'owner' ? <ViewSwitch place={place} /> : <span class="view">{words().visitorView}</span>)}
      <div class="actions">
        {hasToken && (
          <button type="button" title={words().forgetHint} onClick={forgetToken}>
            {words().forget}
          </button>
        )}
        {place !== undefined && (
          <>
            <button type="button" class="wide" onClick={() => copyPath(place)}>
              {words().copyPath}
            </button>
            <button type="button" onClick={() => copyLink(place)}>
              {words().copyLink}
            </button>
          </>
        )}
        <ThemeButton />
        <button type="button" class="square" aria-label={words().keys.help} aria-keyshortcuts="?" onClick={showHelp}>
          ?
        </button>
      </div>
    </header>
  )
}
