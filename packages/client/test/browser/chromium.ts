import { findChromium } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Browser, chromium } from 'playwright-core'

const found = findChromium(process.env)

/** Chromium, where it is installed; in CI it must be, so that opening it fails there and says what is missing. */
export const browsers: ReadonlyArray<string> = pipe(
  found,
  E.match(
    (missing) => {
      if (process.env['CI'] === 'true') return ['Chromium']
      console.warn(`The client is not tested in a browser. ${missing}`)
      return []
    },
    () => ['Chromium'],
  ),
)

export const openBrowser = (): Promise<Browser> => {
  if (E.isLeft(found)) throw new Error(found.left)
  const { executablePath, args } = found.right
  return chromium.launch({ executablePath, args: [...args] })
}
