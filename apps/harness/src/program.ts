import { Option, type OutputConfiguration, Command as Parser } from 'commander'
import { backendNames } from './backends.js'
import type { Command } from './Command.js'
import { type ConformanceOptions, conformance } from './conformance.js'
import { type FixtureOptions, makeFixture } from './fixture.js'
import { formats } from './formats.js'
import { askModel, type ModelOptions } from './model.js'
import { type RunOptions, run } from './run.js'

const format = (): Option =>
  new Option('--format <format>', 'how to write the report').choices(Object.keys(formats)).default('text')

const ofService = (command: Parser): Parser =>
  command
    .requiredOption('--url <url>', 'where the service answers: http://host:port, also with a path behind it')
    .option('--credentials <file>', 'a JSON object from tokens and ids of the fixture to the real ones')
    .option('--exact', 'compare bytes as Canopy writes them, not only what they mean')
    .option('--proxied', 'a proxy in front may refuse requests itself: they are not run')
    .option('--every-u64', 'the service has seeded the sizes and times that no disk holds, too')
    .addOption(format())

/** The whole command line. Parsing it runs nothing: it only says which command was chosen. */
export const program = (version: string, choose: (command: Command) => void, output: OutputConfiguration): Parser => {
  const harness = new Parser('canopy-harness')
    .description('Tells whether an implementation does what Canopy promises. Exit code 0: it does, 1: it does not.')
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
    .action((options: ConformanceOptions) => choose(conformance(options)))

  ofService(harness.command('model'))
    .description('ask the same service generated requests, and compare with the reference model')
    .option('--requests <count>', 'how many', '1000')
    .option('--seed <number>', 'of the generated requests (default: a new one)')
    .action((options: ModelOptions) => choose(askModel(options)))

  harness
    .command('fixture')
    .description('seed what conformance and model ask for into the empty installation that the environment names')
    .option('--describe', 'only print it, as JSON, for another implementation to seed')
    .option('--every-u64', 'with --describe: what no disk holds, too')
    .action((options: FixtureOptions) => choose(makeFixture(options)))

  for (const command of harness.commands) command.showHelpAfterError(`Run \`canopy-harness ${command.name()} --help\`.`)
  return harness.showHelpAfterError('Run `canopy-harness --help`.')
}
