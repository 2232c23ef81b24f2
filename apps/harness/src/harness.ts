import { reasonOf, workingDirectory } from '@canopy/installation'
import { CommanderError, Option, type OutputConfiguration, Command as Parser } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { backendNames } from './backends.js'
import { type Command, type CommandEnv, failed, type Printed, printed, wrongUsage } from './Command.js'
import {
  type ConformanceOptions,
  conformance,
  type ModelOptions,
  model,
  profiles,
  usualProfiles,
} from './conformance.js'
import { type FixtureOptions, fixtureCommand } from './fixture.js'
import { formats } from './formats.js'
import { type RunOptions, run } from './run.js'

/** One run of the program, as the process provides it. */
export interface Invocation extends Omit<CommandEnv, 'cwd'> {
  readonly version: string
  readonly cwd: IO.IO<string>
  /** The command line, without the program. */
  readonly argv: ReadonlyArray<string>
}

export const harness = (invocation: Invocation): T.Task<Printed> =>
  pipe(
    TE.fromEither(parse(invocation)),
    TE.flatMap((command) => execute(invocation, command)),
    TE.toUnion,
  )

/** Parses the command line without running a command. `left` is the help, or wrong usage. */
const parse = ({ version, argv }: Invocation): E.Either<Printed, Command> => {
  const chosen: Array<Command> = []
  const [help, errors]: [Array<string>, Array<string>] = [[], []]
  const parser = newParser(version, (command) => chosen.push(command), {
    writeOut: (text) => help.push(text),
    writeErr: (text) => errors.push(text),
  })
  try {
    parser.parse(argv, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // commander throws for help and version too.
    if (thrown.exitCode === 0) return E.left(printed(help.join('')))
  }
  // Without a command, commander prints the help as an error.
  const error = errors.join('').trimEnd()
  const message = error.startsWith('error: ') ? error.slice('error: '.length) : `no command given\n\n${error}`
  return E.fromNullable(wrongUsage(message))(chosen[0])
}

const execute = (invocation: Invocation, command: Command): TE.TaskEither<Printed, Printed> =>
  pipe(
    workingDirectory(invocation.cwd),
    E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
    TE.fromEither,
    TE.flatMap((cwd) =>
      TE.tryCatch(command({ ...invocation, cwd }), (thrown) => failed(`internal error: ${reasonOf(thrown)}`)),
    ),
    TE.flatMapEither(identity),
  )

const newParser = (version: string, choose: (command: Command) => void, output: OutputConfiguration): Parser => {
  const parser = new Parser('canopy-harness')
    .description('Verifies an implementation of the Canopy interface. Exits 0 if it conforms, 1 if it does not.')
    .version(version)
    .configureOutput(output)
    .exitOverride()

  parser
    .command('run')
    .description("verify Canopy's own adapters with every property test, every scenario and randomly generated data")
    .addOption(
      new Option('--backend <backend...>', 'only these (default: all that are installed)').choices(backendNames),
    )
    .option('--worlds <count>', 'number of generated worlds (accounts with files) per backend', '25')
    .option('--seed <number>', 'seed of the generated worlds (default: random)')
    .addOption(formatOption())
    .action((options: RunOptions) => choose(run(options)))

  addServiceOptions(parser.command('conformance'))
    .description('verify a running service seeded with the fixture, with every scenario over HTTP')
    .addOption(
      new Option('--profile <profile...>', 'parts of the interface that the service implements')
        .choices(profiles)
        .default(usualProfiles),
    )
    .option('--only <text...>', 'run only the checks whose name contains one of these strings')
    .option('--skip <text...>', 'skip the checks whose name contains one of these strings')
    .action((url: string, options: ConformanceOptions) => choose(conformance(url, options)))

  addServiceOptions(parser.command('model'))
    .description(
      'compare a running service (seeded with the fixture) against the reference model, using generated requests',
    )
    .option('--requests <count>', 'number of requests', '1000')
    .option('--seed <number>', 'seed of the generated requests (default: random)')
    .action((url: string, options: ModelOptions) => choose(model(url, options)))

  parser
    .command('fixture')
    .description(
      'load the data that `conformance` and `model` need into an empty installation (configured by CANOPY_* variables)',
    )
    .option('--describe', 'only print it as JSON, to seed another implementation')
    .option('--every-u64', 'with --describe: include sizes and times larger than any disk can store')
    .action((options: FixtureOptions) => choose(fixtureCommand(options)))

  for (const command of parser.commands) command.showHelpAfterError(`Run \`canopy-harness ${command.name()} --help\`.`)
  return parser.showHelpAfterError('Run `canopy-harness --help`.')
}

const addServiceOptions = (command: Parser): Parser =>
  command
    // The URL comes first, because --only and --skip take all arguments after them.
    .usage('<url> [options]')
    .argument('<url>', 'URL of the service: http://host:port, optionally with a path')
    .option('--credentials <file>', "JSON file that maps the fixture's tokens and IDs to the service's")
    .option('--exact', "compare byte for byte with Canopy's own output, not just the meaning")
    .option('--proxied', 'skip the requests that a proxy in front of the service rejects')
    .option('--every-u64', 'also check sizes and times larger than any disk can store')
    .addOption(formatOption())

const formatOption = (): Option =>
  new Option('--format <format>', 'format of the report').choices(Object.keys(formats)).default('text')
