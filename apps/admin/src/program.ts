import { Command, CommanderError, Option } from 'commander'
import type { Args, Invocation, Options } from './Command.js'
import { addCompletion } from './complete.js'
import type { Problem } from './Problem.js'
import type { Choice, CommandName, Printed } from './run.js'

export const canopy = async (invocation: Invocation): Promise<Printed> => {
  const parsed = parse(invocation)
  if ('help' in parsed) return { stdout: parsed.help, stderr: '', exit: 0 }
  // Help, version and completion must start fast, so drivers and the domain load only for a command.
  return (await import('./run.js')).run(invocation, parsed)
}

/** Parses the command line without running a command. */
const parse = ({ version, argv }: Invocation): Choice | Problem | { readonly help: string } => {
  const choices: Array<Choice | Problem> = []
  const output: Array<string> = []
  const errors: Array<string> = []
  const canopy = new Command('canopy')
    .description('Manage Canopy accounts, tokens, visibility and triggers.')
    .version(version)
    .option('--json', 'print exactly one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => output.push(text), writeErr: (text) => errors.push(text) })
    .addHelpText('after', rootExamples)
    .addHelpText('afterAll', variablesHelp)
    .showHelpAfterError('Run `canopy --help`.')
    .exitOverride()
  for (const [name, help] of Object.entries(helps)) {
    const command = addCommand(canopy, name, help)
    command.action(() => {
      // The casts are safe: commander has checked the number of arguments and the names of options.
      const options = command.opts<Options>()
      const choice = { name: name as CommandName, args: command.args as unknown as Args, options }
      choices.push(findOptionAsValue(command, argv) ?? choice)
    })
  }
  const complete: Help = ['', 'print a shell completion script', ['bash >> ~/.bashrc']]
  addCompletion(addCommand(canopy, 'complete', complete), canopy, (text) => output.push(text))
  try {
    canopy.parse(argv, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // commander throws for help and version too.
    if (thrown.exitCode === 0) return { help: output.join('') }
  }
  return usageProblem(errors.join('').trimEnd()) ?? choices[0] ?? { help: output.join('') }
}

/** commander reports a missing command by printing the help, and puts "Did you mean" on a line of its own. */
const usageProblem = (error: string): Problem | undefined => {
  if (error === '') return undefined
  const [message = '', ...hint] = error.replace(/^error: /, '').split('\n')
  return error.startsWith('error: ')
    ? { error: 'invalid usage', message, hint: hint.join(' '), exit: 2 }
    : { error: 'invalid usage', message: `no command given\n\n${error}`, exit: 2 }
}

/** commander would take a following option for the value of an option. */
const findOptionAsValue = (command: Command, argv: ReadonlyArray<string>): Problem | undefined => {
  const takeValues = new Set(command.options.filter(({ required }) => required).map(({ long }) => long))
  const index = argv.findIndex((word, at) => takeValues.has(word) && argv[at + 1]?.startsWith('--'))
  const [name, value] = argv.slice(index)
  return index === -1
    ? undefined
    : {
        error: 'invalid usage',
        message: `${name} needs a value, but the next word is ${value}`,
        hint: `if that is the value, write ${name}=${value}`,
        exit: 2,
      }
}

const addCommand = (canopy: Command, name: string, [args, description, examples, options = {}]: Help): Command => {
  const [last = '', group] = name.split(' ').reverse()
  const command = (group === undefined ? canopy : groupOf(canopy, group))
    .command(`${last} ${args}`)
    .description(description)
    .addHelpText('after', ['\nExamples:', ...examples.map((rest) => `  canopy ${name} ${rest}`.trimEnd())].join('\n'))
    .showHelpAfterError(`Run \`canopy ${name} --help\`.`)
  for (const argument of command.registeredArguments) argument.description = argumentHelps[argument.name()] ?? ''
  for (const [flags, help] of Object.entries(options))
    command.addOption(new Option(flags, help).makeOptionMandatory(help.endsWith('(required)')))
  return command
}

const groupOf = (canopy: Command, group: string): Command =>
  canopy.commands.find((command) => command.name() === group) ??
  canopy
    .command(group)
    .description(groupHelps[group] ?? '')
    .showHelpAfterError(`Run \`canopy ${group} --help\`.`)

const groupHelps: Readonly<Record<string, string>> = {
  account: 'manage accounts, each with its own files',
  token: 'manage tokens, the secrets that give access to files',
  visibility: 'manage who can see which files',
  rule: 'manage rules that restrict files by name',
  trigger: 'manage triggers, the JSON values that clients look up by a secret ID',
  registry: 'migrate or copy the database of accounts, tokens, settings, rules and triggers',
}

/** Other users can see the command line, and shells store it. */
const stdinHelp = 'use - to read it from standard input'

const argumentHelps: Readonly<Record<string, string>> = {
  ID: 'account ID',
  PATH: "path within the account's files, such as / or /photos/2026, without URL encoding",
  VISIBILITY: 'public, hidden or private',
  PATTERN:
    'quoted name pattern: * matches any characters, ? matches one, \\ escapes the next; case-insensitive for ASCII letters',
  RULE_VISIBILITY: 'hidden or private',
  TOKEN: `the token or its ID; ${stdinHelp}`,
  TRIGGER_ID: `trigger ID; ${stdinHelp}`,
  FILE: 'path of the file, or - for standard input',
  DIR: 'directory to serve',
}

const areaHelp =
  "directory for the account's files, absolute or relative to the storage directory; for an object store, a key prefix"
const expiresHelp =
  "an ISO 8601 time, or a duration such as 12h or 30d (default: never); after that it is invalid, unless the server's clock is set back"

/** `examples` are arguments after the name of the command. */
type Help = readonly [
  args: string,
  description: string,
  examples: ReadonlyArray<string>,
  options?: Readonly<Record<string, string>>,
]

const helps: Readonly<Record<CommandName, Help>> = {
  'account create': [
    '',
    'create an account and its directory',
    ['--name Photos --area /srv/photos --verified'],
    {
      '--id <N>': 'ID, a whole number (default: the next free one)',
      '--name <TEXT>': 'display name',
      '--area <DIRECTORY>': `${areaHelp} (default: the ID)`,
      '--verified': 'serve the account immediately, without `canopy account verify`',
      '--recommended-rules': 'add rules that make common secrets, such as .git and .env, private, and list those rules',
    },
  ],
  'account list': ['', 'list all accounts', ['', '--json']],
  'account update': [
    '<ID>',
    'change the name or the directory of an account without moving files',
    ['7 --name Photos', '7 --area /srv/photos'],
    {
      '--name <TEXT>': 'display name (an empty string removes it)',
      '--area <DIRECTORY>': `${areaHelp}; specify the same directory again to record whether it is now a mount point`,
    },
  ],
  'account verify': ['<ID>', 'start serving an account', ['7']],
  'account unverify': ['<ID>', 'stop serving an account', ['7']],
  'account delete': [
    '<ID>',
    'delete an account with its tokens, settings and rules, after confirmation; its files are kept',
    ['7 --dry-run'],
    {
      '--yes': 'skip the confirmation; required without a terminal',
      '--dry-run': 'show the effect without changing anything',
    },
  ],
  'token issue': [
    '<ID>',
    'issue a token and show it once',
    ['7 --scope /photos --expires 30d --label "for the phone"'],
    {
      '--scope <PATH>': "limit the token to this path and everything under it (default: all of the account's files)",
      '--expires <WHEN>': expiresHelp,
      '--label <TEXT>': 'note about the purpose of the token',
    },
  ],
  'token list': ['<ID>', 'list the tokens of an account without their secrets', ['7']],
  'token revoke': ['<TOKEN>', 'revoke a token immediately', ['0123456789abcdef', '- < FILE']],
  'visibility set': [
    '<ID> <PATH> <VISIBILITY>',
    'set the visibility of a path and of everything under it that inherits from it',
    ['7 /photos public'],
  ],
  'visibility remove': [
    '<ID> <PATH>',
    "remove a path's own setting, so that rules and inheritance apply again",
    ['7 /photos'],
  ],
  'visibility list': ['<ID>', 'list the settings of an account, and mark those whose path does not exist', ['7']],
  'visibility explain': [
    '<ID> <PATH>',
    'show who can see a path, and which setting or rule applies',
    ['7 /photos/2026'],
  ],
  'rule add': [
    '<ID> <PATTERN> <RULE_VISIBILITY>',
    'restrict everything whose name matches a pattern, except paths with their own setting; an existing rule with the same pattern is replaced',
    ["7 '.*' hidden", "7 '*.key' private --dry-run"],
    { '--dry-run': 'show what visitors would no longer see, without changing anything' },
  ],
  'rule remove': ['<ID> <PATTERN>', 'remove a rule', ["7 '.*'"]],
  'rule list': ['<ID>', 'list the rules of an account', ['7']],
  'trigger create': [
    '',
    'create a trigger and show its ID',
    [`--type bell --value '{"path":"/photos"}'`, '--type bell --id - < FILE'],
    {
      '--type <TYPE>': 'type of the value (required)',
      '--id <ID>': `ID (default: a random one); ${stdinHelp}`,
      '--value <JSON_OBJECT>': `other fields of the value (default: none); ${stdinHelp}`,
      '--expires <WHEN>': expiresHelp,
    },
  ],
  'trigger list': ['', 'list all triggers', ['']],
  'trigger delete': ['<TRIGGER_ID>', 'delete a trigger', ['- < FILE']],
  'registry migrate': [
    '',
    'upgrade an older registry to this version',
    ['', '--create'],
    { '--create': 'create an empty registry if there is none' },
  ],
  'registry copy': [
    '',
    'copy a consistent snapshot of a registry, as a backup or to move it, while servers keep running',
    ['--to sqlite:/var/backups/canopy.sqlite', '--from sqlite:data/registry.sqlite --to postgres://canopy@db/canopy'],
    {
      '--from <URL>': `source, sqlite:FILE or postgres://... (default: the configured registry); ${stdinHelp}`,
      '--to <URL>': `target, which must be empty or not exist yet (default: the configured registry); ${stdinHelp}`,
      '--replace': 'delete the contents of the target first, after confirmation',
      '--yes': 'skip the confirmation for --replace; required without a terminal',
    },
  ],
  import: [
    '<FILE>',
    'add accounts, settings, rules, tokens and triggers from JSON lines in one transaction',
    ['accounts.jsonl --dry-run', '- < accounts.jsonl'],
    { '--dry-run': 'check every line without changing anything' },
  ],
  serve: [
    '<DIR>',
    'serve a directory until Ctrl-C, and keep its settings for the next run',
    ['.', '/srv/photos --private', '/srv/photos --host 0.0.0.0 --public'],
    {
      '--private': 'make the directory private, and print a secret link that gives access to it',
      '--public': 'show the directory to visitors (default on the first run)',
      '--host <ADDRESS>':
        'address to listen on (default: 127.0.0.1, this machine only); an address that other machines can reach requires --public or --private',
      '--port <N>': 'port to listen on (default: the first free port starting at 8080)',
    },
  ],
  start: ['', 'run the server, configured by environment variables', ['']],
  demo: ['', 'create an example account and print URLs to try; safe to repeat', ['']],
  doctor: ['', 'check the registry and the storage; exits with status 1 if something needs attention', ['', '--json']],
}

const rootExamples = `
Examples:
  canopy account create --name Photos --verified
  canopy visibility set 1 /photos public
  canopy token issue 1 --scope /photos --expires 30d`

const variablesHelp = `
Environment variables (defaults in parentheses):
  CANOPY_DATA       data directory (./data)
  CANOPY_STORAGE    where the files are: file:DIRECTORY or s3://BUCKET/PREFIX (DATA/areas)
  CANOPY_REGISTRY   sqlite:FILE or postgres://USER@HOST/DATABASE (DATA/registry.sqlite)
  CANOPY_HOST       address of the server (127.0.0.1)
  CANOPY_PORT       port of the server (8080)
  CANOPY_BASE_PATH  path prefix of the server's URLs
  CANOPY_CONFIG     file that sets these variables

For more, see docs/admin.md and docs/configuration.md in the Canopy repository.`
