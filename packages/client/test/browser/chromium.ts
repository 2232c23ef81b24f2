import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env['CANOPY_CHROMIUM'] ?? '/usr/bin/chromium'

const missing =
  `There is no Chromium at ${executablePath}. Install the package chromium ` +
  '(apt-get install -y --no-install-recommends chromium), or name another one in CANOPY_CHROMIUM.'

const found = (): ReadonlyArray<string> => {
  if (existsSync(executablePath) || process.env['CI'] === 'true') return ['Chromium']
  console.warn(`The client is not tested in a browser. ${missing}`)
  return []
}

/** Chromium, where it is installed; in CI it must be, so that opening it fails there and says what is missing. */
export const browsers: ReadonlyArray<string> = found()

export const openBrowser = (): Promise<Browser> => {
  if (!existsSync(executablePath)) throw new Error(missing)
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
