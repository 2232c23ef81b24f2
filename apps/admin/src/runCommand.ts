import { randomBytes } from 'node:crypto'
import { U64 } from '@canopy/domain'
import { Installation } from '@canopy/installation'
import { openRegistryWriter } from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Command, CommandEnv } from './CommandEnv.js'
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

/** Runs a command on the installation's own registry and storage. */
export const runCommand = (installation: Installation.Installation, command: Command): TE.TaskEither<Problem, Report> =>
  TE.bracket(
    pipe(
      openRegistryWriter(installation.registry),
      TE.mapLeft(({ error, message }) => failed(error)(message)),
    ),
    (registry) => command({ ...envOf(installation), registry }),
    (registry) => TE.fromTask(registry.close),
  )
