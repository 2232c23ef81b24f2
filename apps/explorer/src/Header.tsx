import { forget, secret } from './credentials.js'
import { isPlain } from './format.js'
import { Icon, Logo } from './icons.js'
import { Name } from './Name.js'
import { follow, navigate } from './navigation.js'
import { type Place, placeHref, type Route, startHref } from './routes.js'
import { copyLink, copyPath, say } from './say.js'
import { changeSettings, settings, type Theme, words } from './settings.js'

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
  say(words().forgotten)
}

const themes: ReadonlyArray<Theme> = ['system', 'light', 'dark']

const ThemeButton = () => {
  const { theme } = settings()
  const label = `${words().theme.label}: ${words().theme[theme]}`
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      class="square"
      aria-label={label}
      title={label}
      onClick={() => changeSettings({ theme: next })}
    >
      <Icon name="theme" />
    </button>
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
      <div class="actions">
        {place !== undefined && (
          <span class="view">{place.view.as === 'owner' ? words().ownerView : words().visitorView}</span>
        )}
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
