import { type OutputConfiguration, Command as Parser } from 'commander'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { accountCommands } from './account.js'
import type { Choose, Command } from './CommandEnv.js'
import { demo } from './demo/demo.js'
import { doctor } from './doctor/doctor.js'
import { report } from './Report.js'
import { readsArea } from './readsArea.js'
import { tokenCommands } from './token/tokenCommands.js'
import { triggerCommands } from './trigger/triggerCommands.js'
import { visibilityCommands } from './visibility.js'

const tellMigrations: Command = ({ registry: { migrated } }) =>
  TE.right(
    report({ migrations: migrated }, [
      migrated.length === 0
        ? 'The registry is of this version already.'
        : `Brought the registry to this version: ${migrated.join(', ')}.`,
    ]),
  )

/** The whole command line. Parsing it runs nothing: it only says which command was chosen. */
export const program = (version: string, choose: Choose, output: OutputConfiguration): Parser => {
  const canopy = new Parser('canopy')
    .description('Looks after what Canopy serves: accounts, tokens, visibility and triggers.')
    .version(version)
    .option('--json', 'print exactly one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output)
    .exitOverride()

  accountCommands(canopy, choose)
  tokenCommands(canopy, choose)
  visibilityCommands(canopy, choose)
  triggerCommands(canopy, choose)

  canopy
    .command('registry')
    .description('the registry, which holds all of these')
    .command('migrate')
    .description('bring the registry of an older version to this one; makes none where there is none')
    .action(() => choose({ ofExisting: tellMigrations }))

  canopy
    .command('demo')
    .description('make an account that shows what Canopy does, and print URLs to try; again, it changes nothing')
    .action(() => choose(demo))

  canopy
    .command('doctor')
    .description('look for what may surprise: exit code 1 when something needs attention')
    .action(() => choose({ look: readsArea(doctor) }))

  return canopy
}
