import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'

interface Environment {
  readonly [name: string]: string | undefined
  readonly CANOPY_CHROMIUM?: string | undefined
}

/** How to start it: without a window, and asking no one but the page that it is sent to. */
interface Chromium {
  readonly executablePath: string
  readonly args: Array<string>
}

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Where Debian keeps it. The one without a window is made for tests: it takes a fraction of the time for a tab. */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The one that `CANOPY_CHROMIUM` names, or the one where Debian keeps it. `left` says what to install. */
const findChromium = (environment: Environment): E.Either<string, Chromium> => {
  const named = environment.CANOPY_CHROMIUM
  const executablePath = (named === undefined ? places : [named]).find((path) => existsSync(path))
  return executablePath === undefined
    ? E.left(
        `There is no Chromium at ${named ?? places.join(' or ')}. Install the package chromium-headless-shell ` +
          '(apt-get install -y --no-install-recommends chromium-headless-shell), or name another one in CANOPY_CHROMIUM.',
      )
    : E.right({ executablePath, args })
}

export interface BrowsersToTest {
  /** For `describe.each`. */
  readonly browsers: ReadonlyArray<string>
  /** How to start the one that is named. Throws what says how to install it. */
  readonly chromium: () => Chromium
}

/**
 * Chromium, where it is installed, and otherwise nothing but a warning that `untested` is; in CI it must be there, so
 * that starting it fails and says what is missing.
 */
export const browsersToTest = (
  environment: NodeJS.ProcessEnv & { readonly CI?: string | undefined },
  untested: string,
): BrowsersToTest => {
  const found = findChromium(environment)
  const chromium = (): Chromium => {
    if (E.isLeft(found)) throw new Error(found.left)
    return found.right
  }
  if (E.isRight(found) || environment.CI === 'true') return { browsers: ['Chromium'], chromium }
  console.warn(`${untested} is not tested in a browser. ${found.left}`)
  return { browsers: [], chromium }
}
