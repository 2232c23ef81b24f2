import { Command, CommanderError, Option } from 'commander'
import type { Options, Start, Words } from './Command.js'
import { completes } from './complete.js'
import type { Problem } from './Problem.js'
import type { Chosen, CommandName, Printed } from './run.js'

/** Other users see what is in the command line, and a shell remembers it. */
const byStdin = '- reads it from standard input'

const groups: Readonly<Record<string, string>> = {
  account: 'accounts: whose storage there is',
  token: 'tokens: secrets that open the storage of an account',
  visibility: 'visibility: who may see what',
  trigger: 'triggers: values to be peeked by their id',
  registry: 'the registry, which holds all of these',
}

const argumentHelp: Readonly<Record<string, string>> = {
  ID: 'the account',
  PATH: 'plain text from the root of the area, such as /photos/2026; / is the root',
  VISIBILITY: 'public, hidden or private',
  TOKEN: `its id, or the token; ${byStdin}`,
  TRIGGER_ID: `the trigger; ${byStdin}`,
  FILE: 'the file; - for standard input',
}

const area = 'its directory, absolute or below the storage, or its key prefix in an object store'
const expires =
  'an ISO time, or a span such as 12h or 30d (default: never); a clock of the server that is set back reopens it'

/** `examples` are what may follow the name of the command. */
type Help = readonly [
  takes: string,
  does: string,
  examples: ReadonlyArray<string>,
  options?: Readonly<Record<string, string>>,
]

const helps: Readonly<Record<CommandName, Help>> = {
  'account create': [
    '',
    'make an account and the directory of its area',
    ['--name Photos --area /srv/photos --verified'],
    {
      '--id <N>': 'its id, a whole number (default: the next free one)',
      '--name <TEXT>': 'a name for people to read',
      '--area <DIRECTORY>': `${area} (default: named by the id)`,
      '--verified': 'an operator vouches for it: requests are answered at once',
    },
  ],
  'account list': ['', 'show every account', ['', '--json']],
  'account update': [
    '<ID>',
    'change the name of an account, or give it another directory; no file is moved',
    ['7 --name Photos', '7 --area /srv/photos'],
    {
      '--name <TEXT>': 'a name for people to read; empty for none',
      '--area <DIRECTORY>': `${area}; the same again records whether it is a mount point now`,
    },
  ],
  'account verify': ['<ID>', 'answer requests for this account', ['7']],
  'account unverify': ['<ID>', 'answer no more requests for this account', ['7']],
  'account delete': [
    '<ID>',
    'delete an account, its tokens and settings, once you have confirmed it; its files stay',
    ['7 --dry-run'],
    {
      '--yes': 'do not ask; needed where there is no terminal',
      '--dry-run': 'say what would be deleted, and change nothing',
    },
  ],
  'token issue': [
    '<ID>',
    'make a token and show it, this once',
    ['7 --scope /photos --expires 30d --label "for the phone"'],
    {
      '--scope <PATH>': 'open only this path and what is below it (default: the whole area)',
      '--expires <WHEN>': expires,
      '--label <TEXT>': 'what it is for',
    },
  ],
  'token list': ['<ID>', 'show the tokens of an account, without the secrets', ['7']],
  'token revoke': ['<TOKEN>', 'make a token open nothing from now on', ['0123456789abcdef', '- < FILE']],
  'visibility set': [
    '<ID> <PATH> <VISIBILITY>',
    'set the visibility of a path, and of all below it that has no setting of its own',
    ['7 /photos public'],
  ],
  'visibility remove': ['<ID> <PATH>', 'remove the setting of a path, which then inherits', ['7 /photos']],
  'visibility list': ['<ID>', 'show every setting of an account, and which have no node', ['7']],
  'visibility explain': ['<ID> <PATH>', 'why a path has its visibility, and who can see it', ['7 /photos/2026']],
  'trigger create': [
    '',
    'make a trigger and show its id',
    [`--type bell --value '{"path":"/photos"}'`, '--type bell --id - < FILE'],
    {
      '--type <TYPE>': 'the type of its value; needed',
      '--id <ID>': `its id (default: a random one); ${byStdin}`,
      '--value <JSON_OBJECT>': `the other fields of its value (default: none); ${byStdin}`,
      '--expires <WHEN>': expires,
    },
  ],
  'trigger list': ['', 'show every trigger', ['']],
  'trigger delete': ['<TRIGGER_ID>', 'forget a trigger', ['- < FILE']],
  'registry migrate': [
    '',
    'bring the registry of an older version to this one',
    ['', '--create'],
    { '--create': 'make an empty one where there is none' },
  ],
  'registry copy': [
    '',
    'copy one moment of a registry to another place, as a backup or to move; servers and commands go on',
    ['--to sqlite:/var/backups/canopy.sqlite', '--from sqlite:data/registry.sqlite --to postgres://canopy@db/canopy'],
    {
      '--from <URL>': `what to copy, sqlite:FILE or postgres://... (default: the registry in use); ${byStdin}`,
      '--to <URL>': `a place that holds no registry or an empty one (default: the registry in use); ${byStdin}`,
      '--replace': 'delete what the target holds, once you have confirmed it',
      '--yes': 'do not ask; needed with --replace where there is no terminal',
    },
  ],
  import: [
    '<FILE>',
    'add accounts, settings, tokens and triggers from a file of JSON lines: all of them or none',
    ['accounts.jsonl --dry-run', '- < accounts.jsonl'],
    { '--dry-run': 'say what is wrong with the lines, and change nothing' },
  ],
  demo: ['', 'make an account that shows what Canopy does, and print URLs to try; again, it changes nothing', ['']],
  doctor: ['', 'look for what may surprise: exit code 1 when something needs attention', ['', '--json']],
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

/** The command above those of a group. */
const groupOf = (canopy: Command, group: string): Command =>
  canopy.commands.find((command) => command.name() === group) ??
  canopy
    .command(group)
    .description(groups[group] ?? '')
    .showHelpAfterError(`Run \`canopy ${group} --help\`.`)

const add = (canopy: Command, name: string, [takes, does, examples, options = {}]: Help): Command => {
  const [last = '', group] = name.split(' ').reverse()
  const command = (group === undefined ? canopy : groupOf(canopy, group))
    .command(`${last} ${takes}`)
    .description(does)
    .addHelpText('after', ['\nExamples:', ...examples.map((words) => `  canopy ${name} ${words}`.trimEnd())].join('\n'))
    .showHelpAfterError(`Run \`canopy ${name} --help\`.`)
  for (const argument of command.registeredArguments) argument.description = argumentHelp[argument.name()] ?? ''
  for (const [flags, help] of Object.entries(options))
    command.addOption(new Option(flags, help).makeOptionMandatory(help.endsWith('; needed')))
  return command
}

/** Refuses an option in the place of another option's value: commander would take it for the value. */
const optionAsValue = (command: Command, words: ReadonlyArray<string>): Problem | undefined => {
  const takeValues = new Set(command.options.filter(({ required }) => required).map(({ long }) => long))
  const at = words.findIndex((word, index) => takeValues.has(word) && words[index + 1]?.startsWith('--'))
  const [name, value] = words.slice(at)
  return at === -1
    ? undefined
    : {
        error: 'wrong usage',
        message: `${name} has no value: ${value} follows it`,
        suggestion: `write ${name}=${value} if that is the value`,
        exit: 2,
      }
}

/** A command to run, help to print, or what is wrong with the words. Parsing runs nothing. */
const parse = ({ version, words }: Start): Chosen | Problem | { readonly help: string } => {
  const chosen: Array<Chosen | Problem> = []
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
  for (const [name, help] of Object.entries(helps)) {
    const command = add(canopy, name, help)
    command.action(() => {
      // commander has found every argument there, and knows no other option.
      const options = command.opts<Options>()
      const choice = { name: name as CommandName, words: command.args as unknown as Words, options }
      chosen.push(optionAsValue(command, words) ?? choice)
    })
  }
  const complete: Help = ['', 'print what lets a shell complete the words of this command', ['bash >> ~/.bashrc']]
  completes(add(canopy, 'complete', complete), canopy, (text) => printed.push(text))
  try {
    canopy.parse(words, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version end by a throw as well.
    if (thrown.exitCode === 0) return { help: printed.join('') }
  }
  const said = errors.join('').trimEnd()
  if (said === '') return chosen[0] ?? { help: printed.join('') }
  // Without a command commander prints the help as an error; which word may have been meant it says on a line of its own.
  const [message = '', ...suggestion] = said.replace(/^error: /, '').split('\n')
  return said.startsWith('error: ')
    ? { error: 'wrong usage', message, suggestion: suggestion.join(' '), exit: 2 }
    : { error: 'wrong usage', message: `name a command\n\n${said}`, exit: 2 }
}

/** The whole program, from its start to what it leaves behind. */
export const canopy = async (start: Start): Promise<Printed> => {
  const parsed = parse(start)
  if ('help' in parsed) return { stdout: parsed.help, stderr: '', exit: 0 }
  // Loaded when a command runs: help, version and completion need neither a driver nor the domain.
  return (await import('./run.js')).run(start, parsed)
}
