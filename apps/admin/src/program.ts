import { Command, CommanderError, type OutputConfiguration } from 'commander'
import type { Options } from './Argument.js'
import type { CreateOptions as AccountOptions } from './account.js'
import type { Chosen, ReadCommand, WriteCommand } from './Command.js'
import { addCompletion } from './complete.js'
import { withHelp } from './help.js'
import type { Printed } from './Report.js'
import type { CopyOptions } from './registry.js'
import type { Start, Wrong } from './run.js'
import type { CreateOptions as TriggerOptions } from './trigger.js'

// What a command does is imported when it runs: help and version load neither a driver nor the domain.

type Choose = (chosen: Chosen) => void

/** How an action says which command was chosen. */
const choosingBy = (choose: Choose) => ({
  reads: (command: ReadCommand) => choose({ registry: 'reader', command }),
  writes: (command: WriteCommand) => choose({ registry: 'writer', command }),
})
type Choosing = ReturnType<typeof choosingBy>

const accountCommands = (canopy: Command, { reads, writes }: Choosing): void => {
  const account = canopy.command('account').description('accounts: whose storage there is')
  const areaHelp = 'its directory, absolute or below the storage, or its key prefix in an object store'

  account
    .command('create')
    .description('make an account and the directory of its area')
    .option('--id <N>', 'its id, a whole number (default: the next free one)')
    .option('--name <TEXT>', 'a name for people to read')
    .option('--area <DIRECTORY>', `${areaHelp} (default: named by the id)`)
    .option('--verified', 'an operator vouches for it: requests are answered at once')
    .action((options: AccountOptions) => writes(async (env) => (await import('./account.js')).create(env, options)))

  account
    .command('list')
    .description('show every account')
    .action(() => reads(async (env) => (await import('./account.js')).list(env)))

  account
    .command('update')
    .description('change the name of an account, or give it another directory; no file is moved')
    .argument('<ID>', 'the account')
    .option('--name <TEXT>', 'a name for people to read; empty for none')
    .option('--area <DIRECTORY>', `${areaHelp}; the same again records whether it is a mount point now`)
    .action((id: string, options: Options<'name' | 'area'>) =>
      writes(async (env) => (await import('./account.js')).update(env, id, options)),
    )

  account
    .command('verify')
    .description('answer requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => writes(async (env) => (await import('./account.js')).setVerified(env, id, true)))

  account
    .command('unverify')
    .description('answer no more requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => writes(async (env) => (await import('./account.js')).setVerified(env, id, false)))

  account
    .command('delete')
    .description('delete an account, its tokens and settings, once you have confirmed it; its files stay')
    .argument('<ID>', 'the account')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .option('--dry-run', 'say what would be deleted, and change nothing')
    .action((id: string, { yes = false, dryRun = false }: { yes?: boolean; dryRun?: boolean }) =>
      dryRun
        ? reads(async (env) => (await import('./account.js')).dryDelete(env, id))
        : writes(async (env) => (await import('./account.js')).remove(env, id, yes)),
    )
}

/** Other users see what is in the command line, and a shell remembers it. */
const byStdin = '- reads it from standard input'

const tokenCommands = (canopy: Command, { reads, writes }: Choosing): void => {
  const token = canopy.command('token').description('tokens: secrets that open the storage of an account')

  token
    .command('issue')
    .description('make a token and show it, this once')
    .argument('<ID>', 'the account')
    .option('--scope <PATH>', 'open only this path and what is below it (default: the whole area)')
    .option('--expires <WHEN>', 'an ISO time, or a span such as 12h or 30d (default: never)')
    .option('--label <TEXT>', 'what it is for')
    .action((id: string, options: Options<'scope' | 'expires' | 'label'>) =>
      writes(async (env) => (await import('./token.js')).issue(env, id, options)),
    )

  token
    .command('list')
    .description('show the tokens of an account, without the secrets')
    .argument('<ID>', 'the account')
    .action((id: string) => reads(async (env) => (await import('./token.js')).list(env, id)))

  token
    .command('revoke')
    .description('make a token open nothing from now on')
    .argument('<TOKEN>', `its id, or the token; ${byStdin}`)
    .action((tokenOrId: string) =>
      writes(async (env) => (await import('./token.js')).revoke(env, await env.typed(tokenOrId))),
    )
}

const visibilityCommands = (canopy: Command, { reads, writes }: Choosing): void => {
  const visibility = canopy.command('visibility').description('visibility: who may see what')
  const pathHelp = 'plain text from the root of the area, such as /photos/2026; / is the root'

  visibility
    .command('set')
    .description('set the visibility of a path, and of all below it that has no setting of its own')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .argument('<VISIBILITY>', 'public, hidden or private')
    .action((id: string, path: string, value: string) =>
      writes(async (env) => (await import('./visibility.js')).set(env, id, path, value)),
    )

  visibility
    .command('remove')
    .description('remove the setting of a path, which then inherits')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) =>
      writes(async (env) => (await import('./visibility.js')).remove(env, id, path)),
    )

  visibility
    .command('list')
    .description('show every setting of an account, and which have no node')
    .argument('<ID>', 'the account')
    .action((id: string) => reads(async (env) => (await import('./visibility.js')).list(env, id)))

  visibility
    .command('explain')
    .description('why a path has its visibility, and who can see it')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) =>
      reads(async (env) => (await import('./visibility.js')).explain(env, id, path)),
    )
}

const triggerCommands = (canopy: Command, { reads, writes }: Choosing): void => {
  const trigger = canopy.command('trigger').description('triggers: values to be peeked by their id')

  trigger
    .command('create')
    .description('make a trigger and show its id')
    .requiredOption('--type <TYPE>', 'the type of its value')
    .option('--id <ID>', `its id (default: a random one); ${byStdin}`)
    .option('--value <JSON_OBJECT>', `the other fields of its value; ${byStdin}`, '{}')
    .option('--expires <WHEN>', 'an ISO time, or a span such as 12h or 30d (default: never)')
    .action((options: TriggerOptions) => writes(async (env) => (await import('./trigger.js')).create(env, options)))

  trigger
    .command('list')
    .description('show every trigger')
    .action(() => reads(async (env) => (await import('./trigger.js')).list(env)))

  trigger
    .command('delete')
    .description('forget a trigger')
    .argument('<ID>', `the trigger; ${byStdin}`)
    .action((id: string) => writes(async (env) => (await import('./trigger.js')).remove(env, await env.typed(id))))
}

const migrates: WriteCommand = async (env) => (await import('./registry.js')).migrate(env)

const registryCommands = (canopy: Command, choose: Choose): void => {
  const registry = canopy.command('registry').description('the registry, which holds all of these')

  registry
    .command('migrate')
    .description('bring the registry of an older version to this one')
    .option('--create', 'make an empty one where there is none')
    .action(({ create = false }: { create?: boolean }) => {
      choose({ registry: create ? 'writer' : 'existing writer', command: migrates })
    })

  const inUse = '(default: the registry in use)'
  registry
    .command('copy')
    .description('copy one moment of a registry to another place, as a backup or to move; servers and commands go on')
    .option('--from <URL>', `what to copy, sqlite:FILE or postgres://...; ${byStdin} ${inUse}`)
    .option('--to <URL>', `where to, a place that holds no registry or an empty one; ${byStdin} ${inUse}`)
    .option('--replace', 'delete what the target holds, once you have confirmed it')
    .option('--yes', 'do not ask; needed with --replace where there is no terminal')
    .action((options: CopyOptions) =>
      choose({ registry: 'url', command: async (env) => (await import('./registry.js')).copy(env, options) }),
    )
}

/** The whole command line. Parsing it runs nothing: it only says which command was chosen. */
const program = (
  version: string,
  choose: Choose,
  output: OutputConfiguration & { readonly writeOut: (text: string) => unknown },
): Command => {
  const choosing = choosingBy(choose)
  const canopy = new Command('canopy')
    .description('Looks after what Canopy serves: accounts, tokens, visibility and triggers.')
    .version(version)
    .option('--json', 'print exactly one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output)
    .exitOverride()

  accountCommands(canopy, choosing)
  tokenCommands(canopy, choosing)
  visibilityCommands(canopy, choosing)
  triggerCommands(canopy, choosing)

  registryCommands(canopy, choose)

  canopy
    .command('import')
    .description('add accounts, settings, tokens and triggers from a file of JSON lines: all of them or none')
    .argument('<FILE>', 'the file; - for standard input')
    .option('--dry-run', 'say what is wrong with the lines, and change nothing')
    .action((file: string, { dryRun = false }: { dryRun?: boolean }) =>
      dryRun
        ? choosing.reads(async (env) => (await import('./import.js')).dryImport(env, file))
        : choosing.writes(async (env) => (await import('./import.js')).importFile(env, file)),
    )

  canopy
    .command('demo')
    .description('make an account that shows what Canopy does, and print URLs to try; again, it changes nothing')
    .action(() => choosing.writes(async (env) => (await import('./demo.js')).demo(env)))

  canopy
    .command('doctor')
    .description('look for what may surprise: exit code 1 when something needs attention')
    .action(() => choosing.reads(async (env) => (await import('./doctor.js')).doctor(env)))

  addCompletion(canopy, output.writeOut)

  return withHelp(canopy, 'canopy')
}

/** A command to run, help to print, or what is wrong with the words. */
const parse = (version: string, words: ReadonlyArray<string>): Chosen | { help: string } | Wrong => {
  const chosen: Array<Chosen> = []
  const printed: Array<string> = []
  const errors: Array<string> = []
  const output = { writeOut: (text: string) => printed.push(text), writeErr: (text: string) => errors.push(text) }
  const parser = program(version, (command) => chosen.push(command), output)
  try {
    parser.parse(words, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version end by a throw as well.
    if (thrown.exitCode === 0) return { help: printed.join('') }
  }
  const said = errors.join('').trimEnd()
  if (chosen[0] !== undefined || said === '') return chosen[0] ?? { help: printed.join('') }
  // Without a command commander prints the help as an error.
  const [wrong = '', ...suggestion] = said.replace(/^error: /, '').split('\n')
  return said.startsWith('error: ')
    ? { wrong, suggestion: suggestion.join(' ') }
    : { wrong: `name a command\n\n${said}`, suggestion: undefined }
}

/** The whole program, from its start to what it leaves behind. */
export const canopy = async (start: Start): Promise<Printed> => {
  const parsed = parse(start.version, start.words)
  if ('help' in parsed) return { stdout: parsed.help, stderr: '', exit: 0 }
  const { run } = await import('./run.js')
  return run(start, parsed)
}
