import { causeOf, readCommandLine, workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Command, CommandEnv, Outcome } from './Command.js'
import { program } from './program.js'
import { failed, type Refusal, wrongUsage } from './Refusal.js'

/** What the process was started with. */
export interface Start extends Omit<CommandEnv, 'cwd'> {
  readonly version: string
  readonly cwd: IO.IO<string>
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
}

export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** 0: all passed; 1: something failed; 2: wrong usage. */
  readonly exit: 0 | 1 | 2
}

const run = (start: Start, command: Command): TE.TaskEither<Refusal, Outcome> =>
  pipe(
    workingDirectory(start.cwd),
    E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
    TE.fromEither,
    TE.flatMap((cwd) =>
      TE.tryCatch(command({ ...start, cwd }), (thrown) => failed(`a fault in the harness itself: ${causeOf(thrown)}`)),
    ),
    TE.flatMapEither(identity),
  )

/** The whole program, from its start to what it leaves behind. */
export const harness = (start: Start): T.Task<Printed> =>
  pipe(
    readCommandLine<Command>((choose, output) => program(start.version, choose, output), start.words),
    E.mapLeft(wrongUsage),
    TE.fromEither,
    TE.flatMap((reading) =>
      reading.is === 'text' ? TE.right({ stdout: reading.text, exit: 0 as const }) : run(start, reading.command),
    ),
    TE.match(
      ({ message, exit }): Printed => ({ stdout: '', stderr: `canopy-harness: ${message}\n`, exit }),
      (outcome): Printed => ({ ...outcome, stderr: '' }),
    ),
  )
