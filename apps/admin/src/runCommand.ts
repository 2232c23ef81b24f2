import { randomBytes } from 'node:crypto'
import { U64 } from '@canopy/domain'
import { Installation } from '@canopy/installation'
import { openRegistryReader, openRegistryWriter, type Unavailable } from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Chosen, CommandEnv } from './CommandEnv.js'
import { failed, type Problem } from './Problem.js'
import type { Report } from './Report.js'

const envOf = (installation: Installation.Installation): Omit<CommandEnv, 'registry'> => ({
  root: installation.storage,
  storage: fsStorage(installation.storage),
  data: installation.data,
  baseUrl: Installation.baseUrl(installation),
  now: () => U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
  random: (bytes) => () => randomBytes(bytes).toString('base64url'),
})

const withRegistry = <R extends { readonly close: T.Task<void> }>(
  open: TE.TaskEither<Unavailable, R>,
  run: (registry: R) => TE.TaskEither<Problem, Report>,
): TE.TaskEither<Problem, Report> =>
  TE.bracket(
    pipe(
      open,
      TE.mapLeft(({ error, message }) => failed(error)(message)),
    ),
    run,
    (registry) => TE.fromTask(registry.close),
  )

/** Runs a command on the installation's own registry and storage. */
export const runCommand = (installation: Installation.Installation, chosen: Chosen): TE.TaskEither<Problem, Report> =>
  'look' in chosen
    ? withRegistry(openRegistryReader(installation.registry), (registry) =>
        chosen.look({ ...envOf(installation), registry }),
      )
    : withRegistry(openRegistryWriter(installation.registry), (registry) =>
        chosen({ ...envOf(installation), registry }),
      )
