import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Chromium } from './findChromium.js'

/**
 * Chromium, where it is installed, and otherwise nothing but a warning that `untested` is; in CI it must be there, so
 * that opening it fails and says what is missing.
 */
export const browsersToTest = (
  found: E.Either<string, Chromium>,
  environment: { readonly [name: string]: string | undefined; readonly CI?: string | undefined },
  untested: string,
): ReadonlyArray<string> =>
  pipe(
    found,
    E.match(
      (missing) => {
        if (environment.CI === 'true') return ['Chromium']
        console.warn(`${untested} is not tested in a browser. ${missing}`)
        return []
      },
      () => ['Chromium'],
    ),
  )
