import type { Command as Parser } from 'commander'
import type { Choose } from '../CommandEnv.js'
import { type CreateTriggerOptions, createTrigger } from './createTrigger.js'
import { deleteTrigger } from './deleteTrigger.js'
import { listTriggers } from './listTriggers.js'

export const triggerCommands = (canopy: Parser, choose: Choose): void => {
  const trigger = canopy.command('trigger').description('triggers: values to be peeked by their id')

  trigger
    .command('create')
    .description('make a trigger and show its id')
    .requiredOption('--type <TYPE>', 'the type of its value')
    .option('--id <ID>', 'its id (default: a random one)')
    .option('--value <JSON_OBJECT>', 'the other fields of its value', '{}')
    .option('--expires <WHEN>', 'an ISO time, or a span such as 12h or 30d (default: never)')
    .action((options: CreateTriggerOptions) => choose(createTrigger(options)))

  trigger
    .command('list')
    .description('show every trigger')
    .action(() => choose({ look: listTriggers }))

  trigger
    .command('delete')
    .description('forget a trigger')
    .argument('<ID>', 'the trigger')
    .action((id: string) => choose(deleteTrigger(id)))
}
