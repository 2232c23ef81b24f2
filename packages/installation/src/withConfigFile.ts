import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Variables } from './Installation.js'

/**
 * The environment, and behind it what stands in the file that `CANOPY_CONFIG` names. A process keeps its environment for
 * life; the file is read anew by each one that starts, so that a reload finds what was changed.
 */
export const withConfigFile = (cwd: string, variables: Variables): E.Either<ReadonlyArray<string>, Variables> => {
  const file = variables['CANOPY_CONFIG']
  return file === undefined
    ? E.right(variables)
    : pipe(
        E.tryCatch(() => parseEnv(readFileSync(resolve(cwd, file), 'utf8')), E.toError),
        E.bimap(
          ({ message }) => [`CANOPY_CONFIG must name a file of variables that can be read: ${message}`],
          (read) => ({ ...read, ...variables }),
        ),
      )
}
