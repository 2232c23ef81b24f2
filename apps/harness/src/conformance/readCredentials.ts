import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { causeOf } from '@canopy/installation'
import type { World } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Refusal, wrongUsage } from '../Refusal.js'
import * as Credentials from './Credentials.js'

/** The file that was named, or the fixture's own credentials. */
export const readCredentials = (
  cwd: string,
  world: World,
  file: string | undefined,
): TE.TaskEither<Refusal, Credentials.Credentials> =>
  file === undefined
    ? TE.right(Credentials.none)
    : pipe(
        TE.tryCatch(() => readFile(resolve(cwd, file), 'utf8'), causeOf),
        TE.flatMapEither(Credentials.fromJson(world)),
        TE.mapLeft((problem) => wrongUsage(`--credentials ${file}: ${problem}`)),
      )
