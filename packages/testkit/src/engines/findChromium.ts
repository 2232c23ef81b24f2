import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'

interface Environment {
  readonly [name: string]: string | undefined
  readonly CANOPY_CHROMIUM?: string | undefined
}

/** How to start it: without a window, and asking nobody but the page that it is sent to. */
export interface Chromium {
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

/** The one that `CANOPY_CHROMIUM` names, or the one where Debian keeps it. `left` says what to install. */
export const findChromium = (environment: Environment): E.Either<string, Chromium> => {
  const executablePath = environment.CANOPY_CHROMIUM ?? '/usr/bin/chromium'
  return existsSync(executablePath)
    ? E.right({ executablePath, args })
    : E.left(
        `There is no Chromium at ${executablePath}. Install the package chromium ` +
          '(apt-get install -y --no-install-recommends chromium), or name another one in CANOPY_CHROMIUM.',
      )
}
