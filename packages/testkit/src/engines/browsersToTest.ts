import * as E from 'fp-ts/lib/Either.js'
import { type Chromium, findChromium } from './findChromium.js'

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
