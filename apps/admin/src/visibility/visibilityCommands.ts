import type { Command as Parser } from 'commander'
import type { Command } from '../CommandEnv.js'
import { explainPath } from './explainPath.js'
import { listVisibility } from './listVisibility.js'
import { removeVisibility } from './removeVisibility.js'
import { setVisibility } from './setVisibility.js'

const pathHelp = 'plain text from the root of the area, such as /photos/2026; / is the root'

export const visibilityCommands = (canopy: Parser, choose: (command: Command) => void): void => {
  const visibility = canopy.command('visibility').description('visibility: who may see what')

  visibility
    .command('set')
    .description('set the visibility of a path, and of all below it that has no setting of its own')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .argument('<VISIBILITY>', 'public, hidden or private')
    .action((id: string, path: string, value: string) => choose(setVisibility(id, path, value)))

  visibility
    .command('remove')
    .description('remove the setting of a path, which then inherits')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) => choose(removeVisibility(id, path)))

  visibility
    .command('list')
    .description('show every setting of an account, and which have no node')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(listVisibility(id)))

  visibility
    .command('explain')
    .description('why a path has its visibility, and who can see it')
    .argument('<ID>', 'the account')
    .argument('<PATH>', pathHelp)
    .action((id: string, path: string) => choose(explainPath(id, path)))
}
