import type { Command as Parser } from 'commander'
import type { Command } from '../CommandEnv.js'
import { type CreateAccountOptions, createAccount } from './createAccount.js'
import { deleteAccount } from './deleteAccount.js'
import { listAccounts } from './listAccounts.js'
import { unverifyAccount, verifyAccount } from './verifyAccount.js'

export const accountCommands = (canopy: Parser, choose: (command: Command) => void): void => {
  const account = canopy.command('account').description('accounts: whose storage there is')

  account
    .command('create')
    .description('make an account and the directory of its area')
    .option('--id <N>', 'its id, a whole number (default: the next free one)')
    .option('--name <TEXT>', 'a name for people to read')
    .option('--area <DIRECTORY>', 'its directory, absolute or below the storage (default: named by the id)')
    .option('--verified', 'an operator vouches for it: requests are answered at once')
    .action((options: CreateAccountOptions) => choose(createAccount(options)))

  account
    .command('list')
    .description('show every account')
    .action(() => choose(listAccounts))

  account
    .command('verify')
    .description('answer requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(verifyAccount(id)))

  account
    .command('unverify')
    .description('answer no more requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(unverifyAccount(id)))

  account
    .command('delete')
    .description('forget an account, its tokens and settings; its files stay')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(deleteAccount(id)))
}
