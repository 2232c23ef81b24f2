import type { Command } from 'commander'

/** At least one call of each command that does something. */
const examples: Readonly<Record<string, ReadonlyArray<string>>> = {
  canopy: [
    'account create --name Photos --verified',
    'visibility set 1 /photos public',
    'token issue 1 --scope /photos --expires 30d',
  ],
  'canopy account create': ['account create --name Photos --area /srv/photos --verified'],
  'canopy account list': ['--json account list'],
  'canopy account update': ['account update 7 --name Photos', 'account update 7 --area /srv/photos'],
  'canopy account verify': ['account verify 7'],
  'canopy account unverify': ['account unverify 7'],
  'canopy account delete': ['account delete 7 --dry-run'],
  'canopy token issue': ['token issue 7 --scope /photos --expires 30d --label "for the phone"'],
  'canopy token list': ['token list 7'],
  'canopy token revoke': ['token revoke 0123456789abcdef', 'token revoke - < FILE'],
  'canopy visibility set': ['visibility set 7 /photos public'],
  'canopy visibility remove': ['visibility remove 7 /photos'],
  'canopy visibility list': ['visibility list 7'],
  'canopy visibility explain': ['visibility explain 7 /photos/2026'],
  'canopy trigger create': [
    `trigger create --type bell --value '{"path":"/photos"}'`,
    'trigger create --type bell --id - < FILE',
  ],
  'canopy trigger list': ['trigger list'],
  'canopy trigger delete': ['trigger delete - < FILE'],
  'canopy registry migrate': ['registry migrate', 'registry migrate --create'],
  'canopy registry copy': [
    'registry copy --to sqlite:/var/backups/canopy.sqlite',
    'registry copy --from sqlite:data/registry.sqlite --to postgres://canopy@db/canopy',
  ],
  'canopy import': ['import accounts.jsonl --dry-run', 'import - < accounts.jsonl'],
  'canopy demo': ['demo'],
  'canopy doctor': ['doctor', '--json doctor'],
  'canopy complete': ['complete bash >> ~/.bashrc'],
}

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

/** Gives each command its examples and, after an error, where its help is; `name` is what is typed for this one. */
export const withHelp = (command: Command, name: string): Command => {
  for (const sub of command.commands) withHelp(sub, `${name} ${sub.name()}`)
  const calls = examples[name]
  if (calls !== undefined)
    command.addHelpText('after', ['\nExamples:', ...calls.map((call) => `  canopy ${call}`)].join('\n'))
  if (command.parent === null) command.addHelpText('afterAll', variables)
  return command.showHelpAfterError(`Run \`${name} --help\`.`)
}
