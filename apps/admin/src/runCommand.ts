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
import { tellWhenSlow } from './tellWhenSlow.js'

/** After how long somebody may wonder, in milliseconds. */
const slowMs = 10_000

/** Tells something beside the answer, at once. */
export type Tell = (line: string) => void

const envOf = (installation: Installation.Installation, tell: Tell): Omit<CommandEnv, 'registry'> => ({
  root: installation.storage,
  storage: fsStorage(installation.storage),
  data: installation.data,
  baseUrl: Installation.baseUrl(installation),
  now: () => U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
  whenSlow: tellWhenSlow(tell, slowMs),
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
export const runCommand = (
  installation: Installation.Installation,
  chosen: Chosen,
  tell: Tell,
): TE.TaskEither<Problem, Report> =>
  'look' in chosen
    ? withRegistry(openRegistryReader(installation.registry), (registry) =>
        chosen.look({ ...envOf(installation, tell), registry }),
      )
    : withRegistry(openRegistryWriter(installation.registry), (registry) =>
        chosen({ ...envOf(installation, tell), registry }),
      )
