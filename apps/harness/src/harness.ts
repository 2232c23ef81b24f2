import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CommandEnv } from './Command.js'
import { causeOf } from './causeOf.js'
import { failed } from './Refusal.js'
import { readCommandLine } from './readCommandLine.js'

/** What the process was started with. */
export interface Start extends CommandEnv {
  readonly version: string
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
}

export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** 0: all passed; 1: something failed; 2: wrong usage. */
  readonly exit: 0 | 1 | 2
}

/** The whole program, from its start to what it leaves behind. */
export const harness = (start: Start): T.Task<Printed> =>
  pipe(
    readCommandLine(start.version, start.words),
    TE.fromEither,
    TE.flatMap((reading) =>
      reading.is === 'text'
        ? TE.right({ stdout: reading.text, exit: 0 as const })
        : pipe(
            TE.tryCatch(reading.command(start), (thrown) =>
              failed(`a fault in the harness itself: ${causeOf(thrown)}`),
            ),
            TE.flatMapEither((outcome) => outcome),
          ),
    ),
    TE.match(
      ({ message, exit }): Printed => ({ stdout: '', stderr: `canopy-harness: ${message}\n`, exit }),
      (outcome): Printed => ({ ...outcome, stderr: '' }),
    ),
  )
