import { causeOf, workingDirectory } from '@canopy/installation'
import { CommanderError, Option, type OutputConfiguration, Command as Parser } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { backendNames } from './backends.js'
import { type Command, type CommandEnv, failed, type Printed, printed, wrongUsage } from './Command.js'
import { askModel, type ConformanceOptions, conformance, type ModelOptions } from './conformance.js'
import { type FixtureOptions, makeFixture } from './fixture.js'
import { formats } from './formats.js'
import { type RunOptions, run } from './run.js'

/** What the process was started with. */
export interface Start extends Omit<CommandEnv, 'cwd'> {
  readonly version: string
  readonly cwd: IO.IO<string>
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
}

const ran = (start: Start, command: Command): TE.TaskEither<Printed, Printed> =>
  pipe(
    workingDirectory(start.cwd),
    E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
    TE.fromEither,
    TE.flatMap((cwd) =>
      TE.tryCatch(command({ ...start, cwd }), (thrown) => failed(`a fault in the harness itself: ${causeOf(thrown)}`)),
    ),
    TE.flatMapEither(identity),
  )

/** A command to run; `left` is help to print, or wrong usage. */
const parse = ({ version, words }: Start): E.Either<Printed, Command> => {
  const chosen: Array<Command> = []
  const [help, errors]: [Array<string>, Array<string>] = [[], []]
  const parser = program(version, (command) => chosen.push(command), {
    writeOut: (text) => help.push(text),
    writeErr: (text) => errors.push(text),
  })
  try {
    parser.parse(words, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version end by a throw as well.
    if (thrown.exitCode === 0) return E.left(printed(help.join('')))
  }
  // Without a command commander prints the help as an error.
  const error = errors.join('').trimEnd()
  const message = error.startsWith('error: ') ? error.slice('error: '.length) : `name a command\n\n${error}`
  return E.fromNullable(wrongUsage(message))(chosen[0])
}

/** The whole program, from its start to what it leaves behind. */
export const harness = (start: Start): T.Task<Printed> =>
  pipe(
    TE.fromEither(parse(start)),
    TE.flatMap((command) => ran(start, command)),
    TE.toUnion,
  )

const format = (): Option =>
  new Option('--format <format>', 'how to write the report').choices(Object.keys(formats)).default('text')

const ofService = (command: Parser): Parser =>
  command
    // First, since --only and --skip take all that follows.
    .usage('<url> [options]')
    .argument('<url>', 'where the service answers: http://host:port, also with a path behind it')
    .option('--credentials <file>', 'a JSON object from tokens and ids of the fixture to the real ones')
    .option('--exact', 'compare bytes as Canopy writes them, not only what they mean')
    .option('--proxied', 'a proxy in front may refuse requests itself: they are not run')
    .option('--every-u64', 'the service has seeded the sizes and times that no disk holds, too')
    .addOption(format())

/** The whole command line. Parsing it runs nothing: it only says which command was chosen. */
export const program = (version: string, choose: (command: Command) => void, output: OutputConfiguration): Parser => {
  const harness = new Parser('canopy-harness')
    .description('Checks whether an implementation does what Canopy promises. Exit code 0: it does, 1: it does not.')
    .version(version)
    .configureOutput(output)
    .exitOverride()

  harness
    .command('run')
    .description("ask Canopy's own adapters: every law, every scenario, generated worlds")
    .addOption(
      new Option('--backend <backend...>', 'only these (default: all that this machine has)').choices(backendNames),
    )
    .option('--worlds <count>', 'how many worlds to generate for each backend', '25')
    .option('--seed <number>', 'of the generated worlds (default: a new one)')
    .addOption(format())
    .action((options: RunOptions) => choose(run(options)))

  ofService(harness.command('conformance'))
    .description('ask a running service that has seeded the fixture: every scenario, over HTTP')
    .option('--only <text...>', 'run the checks whose name contains this text, and no others')
    .option('--skip <text...>', 'leave out the checks whose name contains this text')
    .action((url: string, options: ConformanceOptions) => choose(conformance(url, options)))

  ofService(harness.command('model'))
    .description('ask the same service generated requests, and compare with the reference model')
    .option('--requests <count>', 'how many', '1000')
    .option('--seed <number>', 'of the generated requests (default: a new one)')
    .action((url: string, options: ModelOptions) => choose(askModel(url, options)))

  harness
    .command('fixture')
    .description('seed what conformance and model ask for into the empty installation that the environment names')
    .option('--describe', 'only print it, as JSON, for another implementation to seed')
    .option('--every-u64', 'with --describe: what no disk holds, too')
    .action((options: FixtureOptions) => choose(makeFixture(options)))

  for (const command of harness.commands) command.showHelpAfterError(`Run \`canopy-harness ${command.name()} --help\`.`)
  return harness.showHelpAfterError('Run `canopy-harness --help`.')
}
