import { Command, CommanderError } from 'commander'
import type { Options } from './Argument.js'
import type { Chosen, Problem, ReadCommand, Start, WriteCommand } from './Command.js'
import { completes } from './complete.js'
import type { Printed } from './run.js'

// What a command does is imported when it runs: help, version and completion load neither a driver nor the domain.
const opened = () => import('./run.js')
const accounts = () => import('./account.js')
const tokens = () => import('./token.js')
const settings = () => import('./visibility.js')
const triggers = () => import('./trigger.js')
const registries = () => import('./registry.js')
const files = () => import('./import.js')

/** Other users see what is in the command line, and a shell remembers it. */
const byStdin = '- reads it from standard input'

const argumentHelp: Readonly<Record<string, string>> = {
  ID: 'the account',
  PATH: 'plain text from the root of the area, such as /photos/2026; / is the root',
  VISIBILITY: 'public, hidden or private',
  TOKEN: `its id, or the token; ${byStdin}`,
  TRIGGER_ID: `the trigger; ${byStdin}`,
  FILE: 'the file; - for standard input',
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

/** Adds a command. `examples` are what may follow its name. */
const add = (above: Command, usage: string, description: string, ...examples: ReadonlyArray<string>): Command => {
  const command = above.command(usage).description(description)
  const name = nameOf(command)
  for (const argument of command.registeredArguments) argument.description = argumentHelp[argument.name()] ?? ''
  if (examples.length > 0)
    command.addHelpText('after', ['\nExamples:', ...examples.map((words) => `  ${name} ${words}`.trimEnd())].join('\n'))
  return command.showHelpAfterError(`Run \`${name} --help\`.`)
}

/** How an action says which command was chosen. */
const choosing = (choose: (chosen: Chosen) => void) => ({
  choose,
  reads: (command: ReadCommand) => choose(async (env) => (await opened()).reading(command)(env)),
  writes: (command: WriteCommand) => choose(async (env) => (await opened()).writing(command)(env)),
  migrates: (command: WriteCommand) => choose(async (env) => (await opened()).migrating(command)(env)),
})
type Choosing = ReturnType<typeof choosing>

const addAccount = (canopy: Command, { reads, writes }: Choosing): void => {
  const account = add(canopy, 'account', 'accounts: whose storage there is')
  const areaHelp = 'its directory, absolute or below the storage, or its key prefix in an object store'

  add(account, 'create', 'make an account and the directory of its area', '--name Photos --area /srv/photos --verified')
    .option('--id <N>', 'its id, a whole number (default: the next free one)')
    .option('--name <TEXT>', 'a name for people to read')
    .option('--area <DIRECTORY>', `${areaHelp} (default: named by the id)`)
    .option('--verified', 'an operator vouches for it: requests are answered at once')
    .action((options: Options<'id' | 'name' | 'area', 'verified'>) =>
      writes(async (env) => (await accounts()).create(env, options)),
    )
  add(account, 'list', 'show every account', '', '--json').action(() =>
    reads(async (env) => (await accounts()).list(env)),
  )
  const updateHelp = 'change the name of an account, or give it another directory; no file is moved'
  add(account, 'update <ID>', updateHelp, '7 --name Photos', '7 --area /srv/photos')
    .option('--name <TEXT>', 'a name for people to read; empty for none')
    .option('--area <DIRECTORY>', `${areaHelp}; the same again records whether it is a mount point now`)
    .action((id: string, options: Options<'name' | 'area'>) =>
      writes(async (env) => (await accounts()).update(env, id, options)),
    )
  add(account, 'verify <ID>', 'answer requests for this account', '7').action((id: string) =>
    writes(async (env) => (await accounts()).setVerified(env, id, true)),
  )
  add(account, 'unverify <ID>', 'answer no more requests for this account', '7').action((id: string) =>
    writes(async (env) => (await accounts()).setVerified(env, id, false)),
  )
  const deleteHelp = 'delete an account, its tokens and settings, once you have confirmed it; its files stay'
  add(account, 'delete <ID>', deleteHelp, '7 --dry-run')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .option('--dry-run', 'say what would be deleted, and change nothing')
    .action((id: string, { yes, dryRun }: Options<never, 'yes' | 'dryRun'>) =>
      dryRun === true
        ? reads(async (env) => (await accounts()).dryDelete(env, id))
        : writes(async (env) => (await accounts()).remove(env, id, yes)),
    )
}

const expiresHelp = 'an ISO time, or a span such as 12h or 30d (default: never)'

const addToken = (canopy: Command, { reads, writes }: Choosing): void => {
  const token = add(canopy, 'token', 'tokens: secrets that open the storage of an account')

  const example = '7 --scope /photos --expires 30d --label "for the phone"'
  add(token, 'issue <ID>', 'make a token and show it, this once', example)
    .option('--scope <PATH>', 'open only this path and what is below it (default: the whole area)')
    .option('--expires <WHEN>', expiresHelp)
    .option('--label <TEXT>', 'what it is for')
    .action((id: string, options: Options<'scope' | 'expires' | 'label'>) =>
      writes(async (env) => (await tokens()).issue(env, id, options)),
    )
  add(token, 'list <ID>', 'show the tokens of an account, without the secrets', '7').action((id: string) =>
    reads(async (env) => (await tokens()).list(env, id)),
  )
  add(token, 'revoke <TOKEN>', 'make a token open nothing from now on', '0123456789abcdef', '- < FILE').action(
    (tokenOrId: string) => writes(async (env) => (await tokens()).revoke(env, tokenOrId)),
  )
}

const addVisibility = (canopy: Command, { reads, writes }: Choosing): void => {
  const visibility = add(canopy, 'visibility', 'visibility: who may see what')

  const setHelp = 'set the visibility of a path, and of all below it that has no setting of its own'
  add(visibility, 'set <ID> <PATH> <VISIBILITY>', setHelp, '7 /photos public').action(
    (id: string, path: string, value: string) => writes(async (env) => (await settings()).set(env, id, path, value)),
  )
  const removeHelp = 'remove the setting of a path, which then inherits'
  add(visibility, 'remove <ID> <PATH>', removeHelp, '7 /photos').action((id: string, path: string) =>
    writes(async (env) => (await settings()).remove(env, id, path)),
  )
  add(visibility, 'list <ID>', 'show every setting of an account, and which have no node', '7').action((id: string) =>
    reads(async (env) => (await settings()).list(env, id)),
  )
  const explainHelp = 'why a path has its visibility, and who can see it'
  add(visibility, 'explain <ID> <PATH>', explainHelp, '7 /photos/2026').action((id: string, path: string) =>
    reads(async (env) => (await settings()).explain(env, id, path)),
  )
}

const addTrigger = (canopy: Command, { reads, writes }: Choosing): void => {
  const trigger = add(canopy, 'trigger', 'triggers: values to be peeked by their id')

  const examples = [`--type bell --value '{"path":"/photos"}'`, '--type bell --id - < FILE']
  add(trigger, 'create', 'make a trigger and show its id', ...examples)
    .requiredOption('--type <TYPE>', 'the type of its value')
    .option('--id <ID>', `its id (default: a random one); ${byStdin}`)
    .option('--value <JSON_OBJECT>', `the other fields of its value; ${byStdin}`, '{}')
    .option('--expires <WHEN>', expiresHelp)
    .action((options: Options<'id' | 'expires'> & { readonly type: string; readonly value: string }) =>
      writes(async (env) => (await triggers()).create(env, options)),
    )
  add(trigger, 'list', 'show every trigger', '').action(() => reads(async (env) => (await triggers()).list(env)))
  add(trigger, 'delete <TRIGGER_ID>', 'forget a trigger', '- < FILE').action((id: string) =>
    writes(async (env) => (await triggers()).remove(env, id)),
  )
}

const addRegistry = (canopy: Command, { choose, writes, migrates }: Choosing): void => {
  const registry = add(canopy, 'registry', 'the registry, which holds all of these')

  add(registry, 'migrate', 'bring the registry of an older version to this one', '', '--create')
    .option('--create', 'make an empty one where there is none')
    .action(({ create }: Options<never, 'create'>) =>
      (create === true ? writes : migrates)(async (env) => (await registries()).migrate(env)),
    )
  add(
    registry,
    'copy',
    'copy one moment of a registry to another place, as a backup or to move; servers and commands go on',
    '--to sqlite:/var/backups/canopy.sqlite',
    '--from sqlite:data/registry.sqlite --to postgres://canopy@db/canopy',
  )
    .option('--from <URL>', `what to copy, sqlite:FILE or postgres://... (default: the registry in use); ${byStdin}`)
    .option('--to <URL>', `a place that holds no registry or an empty one (default: the registry in use); ${byStdin}`)
    .option('--replace', 'delete what the target holds, once you have confirmed it')
    .option('--yes', 'do not ask; needed with --replace where there is no terminal')
    .action((options: Options<'from' | 'to', 'replace' | 'yes'>) =>
      choose(async (env) => (await registries()).copy(env, options)),
    )
}

const addOthers = (canopy: Command, { reads, writes }: Choosing): void => {
  const importHelp = 'add accounts, settings, tokens and triggers from a file of JSON lines: all of them or none'
  add(canopy, 'import <FILE>', importHelp, 'accounts.jsonl --dry-run', '- < accounts.jsonl')
    .option('--dry-run', 'say what is wrong with the lines, and change nothing')
    .action((file: string, { dryRun }: Options<never, 'dryRun'>) =>
      dryRun === true
        ? reads(async (env) => (await files()).dryImport(env, file))
        : writes(async (env) => (await files()).importFile(env, file)),
    )
  const demoHelp = 'make an account that shows what Canopy does, and print URLs to try; again, it changes nothing'
  add(canopy, 'demo', demoHelp, '').action(() => writes(async (env) => (await import('./demo.js')).demo(env)))
  const doctorHelp = 'look for what may surprise: exit code 1 when something needs attention'
  add(canopy, 'doctor', doctorHelp, '', '--json').action(() =>
    reads(async (env) => (await import('./doctor.js')).doctor(env)),
  )
}

const rootHelp = `
Examples:
  canopy account create --name Photos --verified
  canopy visibility set 1 /photos public
  canopy token issue 1 --scope /photos --expires 30d`

const variables = `
Variables, with their defaults:
  CANOPY_DATA      ./data: the data directory
  CANOPY_STORAGE   the areas: file:DIRECTORY (DATA/areas), or s3://BUCKET/PREFIX
  CANOPY_REGISTRY  sqlite:FILE (DATA/registry.sqlite), or postgres://USER@HOST/DATABASE
  CANOPY_HOST      127.0.0.1, and
  CANOPY_PORT      8080: where the server answers, for the URLs that are printed,
  CANOPY_BASE_PATH below which path
  CANOPY_CONFIG    a file with such variables

All of it: docs/admin.md and docs/configuration.md in Canopy's repository.`

/** A command to run, help to print, or what is wrong with the words. Parsing runs nothing. */
const parse = ({ version, words }: Start): Chosen | Problem | { readonly help: string } => {
  const chosen: Array<Chosen> = []
  const printed: Array<string> = []
  const errors: Array<string> = []
  const canopy = new Command('canopy')
    .description('Looks after what Canopy serves: accounts, tokens, visibility and triggers.')
    .version(version)
    .option('--json', 'print exactly one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => printed.push(text), writeErr: (text) => errors.push(text) })
    .addHelpText('after', rootHelp)
    .addHelpText('afterAll', variables)
    .showHelpAfterError('Run `canopy --help`.')
    .exitOverride()
  for (const addTo of [addAccount, addToken, addVisibility, addTrigger, addRegistry, addOthers])
    addTo(
      canopy,
      choosing((command) => chosen.push(command)),
    )
  const completeHelp = 'print what lets a shell complete the words of this command'
  completes(add(canopy, 'complete', completeHelp, 'bash >> ~/.bashrc'), canopy, (text) => printed.push(text))
  try {
    canopy.parse(words, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version end by a throw as well.
    if (thrown.exitCode === 0) return { help: printed.join('') }
  }
  const said = errors.join('').trimEnd()
  if (said === '') return chosen[0] ?? { help: printed.join('') }
  // Without a command commander prints the help as an error.
  const [message = '', ...suggestion] = said.replace(/^error: /, '').split('\n')
  return said.startsWith('error: ')
    ? { error: 'wrong usage', message, suggestion: suggestion.join(' '), exit: 2 }
    : { error: 'wrong usage', message: `name a command\n\n${said}`, exit: 2 }
}

/** The whole program, from its start to what it leaves behind. */
export const canopy = async (start: Start): Promise<Printed> => {
  const parsed = parse(start)
  return 'help' in parsed ? { stdout: parsed.help, stderr: '', exit: 0 } : (await opened()).run(start, parsed)
}
