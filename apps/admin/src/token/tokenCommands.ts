import type { Command as Parser } from 'commander'
import type { Choose } from '../CommandEnv.js'
import { readsArea } from '../readsArea.js'
import { type IssueTokenOptions, issueToken } from './issueToken.js'
import { listTokens } from './listTokens.js'
import { revokeToken } from './revokeToken.js'

export const tokenCommands = (canopy: Parser, choose: Choose): void => {
  const token = canopy.command('token').description('tokens: secrets that open the storage of an account')

  token
    .command('issue')
    .description('make a token and show it, this once')
    .argument('<ID>', 'the account')
    .option('--scope <PATH>', 'open only this path and what is below it (default: the whole area)')
    .option('--expires <WHEN>', 'an ISO time, or a span such as 12h or 30d (default: never)')
    .option('--label <TEXT>', 'what it is for')
    .action((id: string, options: IssueTokenOptions) => choose(readsArea(issueToken(id, options))))

  token
    .command('list')
    .description('show the tokens of an account, without the secrets')
    .argument('<ID>', 'the account')
    .action((id: string) => choose({ look: listTokens(id) }))

  token
    .command('revoke')
    .description('make a token open nothing from now on')
    .argument('<TOKEN>', 'the token, or its id')
    .action((text: string) => choose(revokeToken(text)))
}
