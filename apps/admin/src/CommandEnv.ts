import type { ListEnv, NodeAtEnv, U64 } from '@canopy/domain'
import type { RegistryReader, RegistryWriter } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { Problem } from './Problem.js'
import type { Report } from './Report.js'

export interface RegistryEnv {
  readonly registry: RegistryWriter
}

/** As much of the registry as is read: a reader and a writer both have it. */
export interface RegistryLookEnv {
  readonly registry: Pick<RegistryReader, 'accounts' | 'tokens' | 'settings' | 'triggers'>
}

/** The registry as a command finds it that only reads: it neither makes it nor brings it to this version. */
export interface RegistryReaderEnv {
  readonly registry: RegistryReader
}

export interface StorageEnv {
  readonly root: StorageRoot.StorageRoot
  readonly storage: NodeAtEnv & ListEnv
}

export interface ClockEnv {
  /** Unix time in whole seconds. */
  readonly now: IO.IO<U64.U64>
}

export interface RandomEnv {
  /** So many random bytes, fit for secrets, in base64url. */
  readonly random: (bytes: number) => IO.IO<string>
}

export interface PlaceEnv {
  /** The data directory, absolute. */
  readonly data: string
  /** `http://host:port`, where the server answers. */
  readonly baseUrl: string
}

export interface PatienceEnv {
  /** Says the line, beside the answer, when the task takes long. */
  readonly whenSlow: (line: string) => <A>(task: T.Task<A>) => T.Task<A>
}

export interface ConfirmEnv {
  /** Shows the lines to a person, the last of them a question, and asks for yes or no; `none` without a terminal. */
  readonly confirm: O.Option<(lines: ReadonlyArray<string>) => T.Task<boolean>>
}

export type CommandEnv = RegistryEnv & StorageEnv & ClockEnv & RandomEnv & PlaceEnv & PatienceEnv & ConfirmEnv

/** What the command line asked for, its arguments not yet judged. */
export type Command = RTE.ReaderTaskEither<CommandEnv, Problem, Report>

/** A command that only reads. */
interface Look {
  readonly look: RTE.ReaderTaskEither<Omit<CommandEnv, 'registry'> & RegistryReaderEnv, Problem, Report>
}

/** A command that makes no registry where there is none. */
interface OfExisting {
  readonly ofExisting: Command
}

export type Chosen = Command | Look | OfExisting

/** Takes the command that the command line names. */
export type Choose = (command: Chosen) => void
