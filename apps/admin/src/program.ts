import { type OutputConfiguration, Command as Parser } from 'commander'
import { accountCommands } from './account/accountCommands.js'
import type { Chosen } from './CommandEnv.js'
import { demo } from './demo/demo.js'
import { doctor } from './doctor/doctor.js'
import { tokenCommands } from './token/tokenCommands.js'
import { triggerCommands } from './trigger/triggerCommands.js'
import { visibilityCommands } from './visibility/visibilityCommands.js'

/** The whole command line. Parsing it runs nothing: it only says which command was chosen. */
export const program = (version: string, choose: (command: Chosen) => void, output: OutputConfiguration): Parser => {
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
    .command('demo')
    .description('make an account that shows what Canopy does, and print URLs to try; again, it changes nothing')
    .action(() => choose(demo))

  canopy
    .command('doctor')
    .description('look for what may surprise: exit code 1 when something needs attention')
    .action(() => choose({ look: doctor }))

  return canopy
}
