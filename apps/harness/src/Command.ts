import type * as IO from 'fp-ts/lib/IO.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Refusal } from './Refusal.js'
import type { Watch } from './runChecks.js'

export interface CommandEnv {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly watch: Watch
  /** For whoever named none. */
  readonly newSeed: IO.IO<number>
}

/** What a command leaves behind. */
export interface Outcome {
  readonly stdout: string
  readonly exit: 0 | 1
}

/** What the command line asked for, its arguments not yet judged. */
export type Command = RTE.ReaderTaskEither<CommandEnv, Refusal, Outcome>
