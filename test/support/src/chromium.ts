import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'

interface Environment {
  readonly [name: string]: string | undefined
  readonly CANOPY_CHROMIUM?: string | undefined
}

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

/** The headless shell opens tabs much faster. */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

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
  readonly browsers: ReadonlyArray<string>
  readonly chromium: () => Chromium
}

/** Returns no browser, with a warning, if Chromium is missing; in CI it must be installed. */
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
