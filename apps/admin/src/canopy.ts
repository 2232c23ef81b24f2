import { Installation, readCommandLine, withConfigFile, workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Chosen } from './CommandEnv.js'
import { external, type Problem, wrongEnvironment, wrongUsage } from './Problem.js'
import { type Printed, print } from './print.js'
import { program } from './program.js'
import type { Report } from './Report.js'
import { type Beside, runCommand } from './runCommand.js'

/** What the process was started with. */
export interface Start extends Beside {
  readonly version: string
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
  readonly cwd: IO.IO<string>
  readonly variables: Installation.Variables
}

/** Nothing here should throw; if it does, that too is told in the form that was asked for. */
const withoutThrowing = (run: TE.TaskEither<Problem, Report>): TE.TaskEither<Problem, Report> =>
  pipe(TE.tryCatch(run, external('a fault in canopy itself')), TE.flatMapEither(identity))

const run = ({ cwd, variables, ...beside }: Start, command: Chosen) =>
  pipe(
    workingDirectory(cwd),
    E.flatMap((directory) =>
      pipe(
        withConfigFile(directory, variables),
        E.flatMap((all) => Installation.fromVariables(directory, all)),
      ),
    ),
    E.mapLeft(wrongEnvironment),
    TE.fromEither,
    TE.flatMap((installation) => withoutThrowing(runCommand(installation, command, beside))),
  )

/** The whole program, from its start to what it leaves behind. */
export const canopy = (start: Start): T.Task<Printed> => {
  const options = start.words.slice(0, start.words.includes('--') ? start.words.indexOf('--') : undefined)
  const printed = print(options.includes('--json'))
  return pipe(
    readCommandLine<Chosen>((choose, output) => program(start.version, choose, output), start.words),
    E.match(
      (message) => T.of(printed(E.left(wrongUsage(message)))),
      (reading) =>
        reading.is === 'text'
          ? T.of<Printed>({ stdout: reading.text, stderr: '', exit: 0 })
          : pipe(run(start, reading.command), T.map(printed)),
    ),
  )
}
