import { existsSync } from 'node:fs'
import type { Environment } from './daemon.js'

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

/** Returns no browser, with a warning, if Chromium is missing; in CI it must be installed. */
export const browsersToTest = (environment: Environment, untested: string) => {
  const chosen = environment['CANOPY_CHROMIUM']
  const searched = chosen === undefined ? places : [chosen]
  const executablePath = searched.find((path) => existsSync(path))
  const isTested = executablePath !== undefined || environment['CI'] === 'true'
  const missing =
    `There is no Chromium at ${searched.join(' or ')}. Install the package chromium-headless-shell ` +
    '(apt-get install -y --no-install-recommends chromium-headless-shell), or name another one in CANOPY_CHROMIUM.'
  if (!isTested) console.warn(`${untested} is not tested in a browser. ${missing}`)
  /** How to launch it. */
  const chromium = () => {
    if (executablePath === undefined) throw new Error(missing)
    return { executablePath, args }
  }
  return { browsers: isTested ? ['Chromium'] : [], chromium }
}
