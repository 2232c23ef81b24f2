import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'

const manifest = t.type({ version: t.string })

/** The version that the text of a `package.json` tells. */
export const versionIn = (packageJson: string): string =>
  pipe(
    J.parse(packageJson),
    E.flatMap(manifest.decode),
    E.match(
      () => 'unknown',
      ({ version }) => version,
    ),
  )
