import { randomBytes } from 'node:crypto'
import { U64 } from '@canopy/domain'
import { Installation } from '@canopy/installation'
import {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type Unavailable,
} from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Chosen, CommandEnv } from './CommandEnv.js'
import { failed, type Problem } from './Problem.js'
import type { Report } from './Report.js'
import { tellWhenSlow } from './tellWhenSlow.js'

/** After how long somebody may wonder, in milliseconds. */
const slowMs = 10_000

/** How the command speaks with a person beside its answer. */
export interface Beside {
  /** Says a line at once. */
  readonly tell: (line: string) => void
  /** Shows lines and asks for yes or no; absent where no terminal is there to answer. */
  readonly confirm?: (lines: ReadonlyArray<string>) => T.Task<boolean>
}

const envOf = (installation: Installation.Installation, { tell, confirm }: Beside): Omit<CommandEnv, 'registry'> => ({
  root: installation.storage,
  storage: fsStorage(installation.storage),
  data: installation.data,
  baseUrl: Installation.baseUrl(installation),
  now: () => U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
  whenSlow: tellWhenSlow(tell, slowMs),
  confirm: O.fromNullable(confirm),
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
  beside: Beside,
): TE.TaskEither<Problem, Report> => {
  const env = envOf(installation, beside)
  if ('look' in chosen)
    return withRegistry(openRegistryReader(installation.registry), (registry) => chosen.look({ ...env, registry }))
  const [open, command] =
    'ofExisting' in chosen ? [openExistingRegistryWriter, chosen.ofExisting] : [openRegistryWriter, chosen]
  return withRegistry(open(installation.registry), (registry) => command({ ...env, registry }))
}
