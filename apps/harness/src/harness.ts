import { causeOf, workingDirectory } from '@canopy/installation'
import { CommanderError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Command, type CommandEnv, failed, type Outcome, type Refusal, wrongUsage } from './Command.js'
import { program } from './program.js'

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

/** A command to run, help to print, or what is wrong with the words. */
const parse = ({ version, words }: Start): Command | { help: string } | { wrong: string } => {
  const chosen: Array<Command> = []
  const printed: Array<string> = []
  const errors: Array<string> = []
  const parser = program(version, (command) => chosen.push(command), {
    writeOut: (text) => printed.push(text),
    writeErr: (text) => errors.push(text),
  })
  try {
    parser.parse(words, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version end by a throw as well.
    if (thrown.exitCode === 0) return { help: printed.join('') }
  }
  // Without a command commander prints the help as an error.
  const said = errors.join('').trimEnd()
  return chosen[0] ?? { wrong: said.startsWith('error: ') ? said.slice(7) : `name a command\n\n${said}` }
}

const outcomeOf = (start: Start): TE.TaskEither<Refusal, Outcome> => {
  const parsed = parse(start)
  return typeof parsed === 'function'
    ? run(start, parsed)
    : 'help' in parsed
      ? TE.right({ stdout: parsed.help, exit: 0 })
      : TE.left(wrongUsage(parsed.wrong))
}

/** The whole program, from its start to what it leaves behind. */
export const harness = (start: Start): T.Task<Printed> =>
  pipe(
    outcomeOf(start),
    TE.match(
      ({ message, exit }): Printed => ({ stdout: '', stderr: `canopy-harness: ${message}\n`, exit }),
      (outcome): Printed => ({ ...outcome, stderr: '' }),
    ),
  )
