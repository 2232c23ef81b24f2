import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Announcements } from './announcements.js'
import { settleOffer, useOffer } from './credentials.js'
import { Dialog } from './Dialog.js'
import { plainName } from './format.js'
import { Header, rootName } from './Header.js'
import { Help } from './Help.js'
import { useKeys } from './keys.js'
import { refresh, startNavigation, useNavigation } from './navigation.js'
import { Peek } from './Peek.js'
import { PlacePage } from './PlacePage.js'
import { applyPreferences, usePreferences, words } from './preferences.js'
import type { Route } from './routes.js'
import { State } from './State.js'
import { Start } from './WaysIn.js'

const titleOf = (route: Route): string => {
  switch (route.page) {
    case 'place':
      return `${plainName(route.place.names.at(-1) ?? rootName(route.place))} – Canopy`
    case 'peek':
      return `${words().peek.title} – Canopy`
    case 'start':
    case 'unknown':
      return 'Canopy'
  }
}

const Page = ({ route, version }: ReturnType<typeof useNavigation>) => {
  switch (route.page) {
    case 'place':
      return <PlacePage place={route.place} version={version} />
    case 'peek':
      return <Peek version={version} />
    case 'start':
      return <Start />
    case 'unknown':
      return <State name="unknown" />
  }
}

const settle = (isAccepted: boolean): void => {
  settleOffer(isAccepted)
  if (isAccepted) refresh()
}

/** Asks before the token of a link replaces the token of the tab. */
const TokenOffer = () => {
  if (useOffer() === undefined) return null
  return (
    <Dialog title={words().offer.title} close={() => settle(false)}>
      <p>{words().offer.explain}</p>
      <button type="button" class="main" onClick={() => settle(true)}>
        {words().offer.accept}
      </button>
    </Dialog>
  )
}

const App = () => {
  const navigation = useNavigation()
  usePreferences()
  const [hasHelp, setHelp] = useState(false)
  useKeys({ '?': () => setHelp(true) })
  const title = titleOf(navigation.route)
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <>
      <Header route={navigation.route} showHelp={() => setHelp(true)} />
      <main>
        <Page {...navigation} />
      </main>
      {hasHelp && <Help close={() => setHelp(false)} />}
      <TokenOffer />
      <Announcements />
    </>
  )
}

/** Applies the styles that load beside this script. */
const applyStyles = async (): Promise<void> => {
  const preload = document.querySelector<HTMLLinkElement>('link[rel=preload][as=style]')
  if (preload === null) return
  const styles = document.createElement('link')
  styles.rel = 'stylesheet'
  styles.crossOrigin = preload.crossOrigin
  styles.href = preload.href
  await new Promise((resolve) => {
    styles.addEventListener('load', resolve)
    styles.addEventListener('error', resolve)
    document.head.append(styles)
  })
}

const start = async (): Promise<void> => {
  applyPreferences()
  startNavigation()
  await applyStyles()
  const element = document.getElementById('explorer')
  if (element === null) return
  // The skeleton would move if the page took its elements over.
  element.replaceChildren()
  render(<App />, element)
}

void start()
