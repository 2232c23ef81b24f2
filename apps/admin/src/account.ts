import { Area, UserId } from '@canopy/domain'
import type { Account, AccountChange } from '@canopy/registry/admin'
import { type CreatedArea, createArea } from '@canopy/storage-fs/admin'
import type { Command as Parser } from 'commander'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AreaMap from './AreaMap.js'
import * as Argument from './Argument.js'
import type { Choose, PlaceEnv, RegistryEnv, RegistryLookEnv, StorageEnv } from './CommandEnv.js'
import { columns } from './columns.js'
import { type DeleteOptions, deleteAccount } from './deleteAccount.js'
import { accountJson, overlapsOf, titleOf, verifyHint } from './describeAccount.js'
import { makeAccount, type WantedAccount } from './makeAccount.js'
import { failed, type Problem, wrongUsage } from './Problem.js'
import { type Report, report } from './Report.js'
import { refused } from './refused.js'

type Outcome = TE.TaskEither<Problem, Report>

const list = ({ registry, root }: RegistryLookEnv & StorageEnv): Outcome =>
  pipe(
    registry.accounts.all,
    TE.mapLeft(refused),
    TE.map((accounts) =>
      report(
        accounts.map((account) => accountJson(root, account)),
        accounts.length === 0
          ? ['There are no accounts: `canopy account create` makes one.']
          : columns([
              ['ID', 'NAME', 'VERIFIED', 'AREA'],
              ...accounts.map((account) => [
                UserId.toDecimal(account.id),
                O.getOrElse(() => '-')(account.name),
                account.verified ? 'yes' : 'no',
                AreaMap.directoryOf(root, account),
              ]),
            ]),
      ),
    ),
  )

interface CreateOptions {
  readonly id?: string
  readonly name?: string
  readonly area?: string
  readonly verified?: boolean
}

const areaOption = (text: string | undefined): E.Either<Problem, O.Option<Area.AreaLocation>> =>
  pipe(text, Argument.optional(Argument.notEmpty('--area')), E.map(O.map(Area.location)))

const wantedAccount = (options: CreateOptions): E.Either<Problem, WantedAccount> =>
  sequenceS(E.Apply)({
    id: Argument.optional(Argument.userId)(options.id),
    name: Argument.optional(Argument.notEmpty('--name'))(options.name),
    location: areaOption(options.area),
    verified: E.right(options.verified ?? false),
  })

/** What to know of the directory that an account was given. */
const areaLines = (
  { directory, isNew, isMountPoint }: CreatedArea,
  overlaps: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  `Its files: ${directory}`,
  ...(isNew ? ['The directory is new, and empty.'] : []),
  ...(isMountPoint ? ['It is a mount point: while nothing is mounted there, requests answer `external`.'] : []),
  ...overlaps.map((words) => `Mind its directory: ${words}.`),
]

const create =
  (options: CreateOptions) =>
  (env: RegistryEnv & StorageEnv & PlaceEnv): Outcome =>
    pipe(
      TE.fromEither(wantedAccount(options)),
      TE.flatMap((account) => makeAccount(account)(env)),
      TE.bindTo('made'),
      TE.bind('overlaps', ({ made }) => TE.fromTask(overlapsOf(env)(made.account))),
      TE.map(({ made: { account, area }, overlaps }) =>
        report({ ...accountJson(env.root, account), areaIsNew: area.isNew, overlaps }, [
          `Made ${titleOf(account)}, ${account.verified ? 'verified' : 'not verified'}.`,
          ...areaLines(area, overlaps),
          ...verifyHint(account),
        ]),
      ),
    )

interface UpdateOptions {
  readonly name?: string
  readonly area?: string
}

/** What changes when an account is given a directory, perhaps the one that it has. */
const areaChange = (before: Account, was: string, location: Area.AreaLocation, area: CreatedArea): AccountChange => ({
  location,
  isMountPoint: area.isMountPoint,
  areaMade: area.isNew || (before.areaMade && was === area.directory),
})

const updateLines = (before: Account, was: string, area: CreatedArea): ReadonlyArray<string> =>
  was !== area.directory
    ? [`Nothing was moved: the files of before are in ${was}.`]
    : before.isMountPoint && !area.isMountPoint
      ? [
          'Nothing is mounted there now, and it is served as it is from now on: if its disk is missing, mount it and run this again.',
        ]
      : []

const updateArea =
  (env: RegistryEnv & StorageEnv & PlaceEnv, before: Account) =>
  (location: Area.AreaLocation): TE.TaskEither<Problem, { change: AccountChange; area: CreatedArea }> =>
    pipe(
      createArea(env.root, location),
      TE.mapLeft(({ error, reason }) => failed(error)(`nothing was changed: ${reason}`)),
      TE.map((area) => ({ change: areaChange(before, AreaMap.directoryOf(env.root, before), location, area), area })),
    )

const update =
  (id: string, { name, area: areaText }: UpdateOptions) =>
  (env: RegistryEnv & StorageEnv & PlaceEnv): Outcome =>
    pipe(
      sequenceS(E.Apply)({ user: Argument.userId(id), location: areaOption(areaText) }),
      E.filterOrElse(
        ({ location }) => name !== undefined || O.isSome(location),
        () => wrongUsage('say what to change: --name TEXT, --area DIRECTORY, or both'),
      ),
      TE.fromEither,
      TE.bind('before', ({ user }) => pipe(env.registry.accounts.find(user), TE.mapLeft(refused))),
      TE.bind('moved', ({ before, location }) =>
        pipe(location, O.traverse(TE.ApplicativeSeq)(updateArea(env, before))),
      ),
      TE.bind('account', ({ user, moved }) =>
        pipe(
          env.registry.accounts.update(user, {
            ...(name === undefined ? {} : { name: name === '' ? O.none : O.some(name) }),
            ...(O.isSome(moved) ? moved.value.change : {}),
          }),
          TE.mapLeft(refused),
        ),
      ),
      TE.bind('overlaps', ({ account }) => TE.fromTask(overlapsOf(env)(account))),
      TE.map(({ account, before, moved, overlaps }) =>
        O.isNone(moved)
          ? report(accountJson(env.root, account), [`Changed ${titleOf(account)}.`])
          : report({ ...accountJson(env.root, account), areaIsNew: moved.value.area.isNew, overlaps }, [
              `Changed ${titleOf(account)}.`,
              ...areaLines(moved.value.area, overlaps),
              ...updateLines(before, AreaMap.directoryOf(env.root, before), moved.value.area),
            ]),
      ),
    )

const setVerified =
  (verified: boolean) =>
  (id: string) =>
  ({ registry, root }: RegistryEnv & StorageEnv): Outcome =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) => pipe(registry.accounts.update(user, { verified }), TE.mapLeft(refused))),
      TE.map((account) =>
        report(accountJson(root, account), [
          `Now ${titleOf(account)} is ${verified ? 'verified' : 'not verified'}.`,
          ...verifyHint(account),
        ]),
      ),
    )

export const accountCommands = (canopy: Parser, choose: Choose): void => {
  const account = canopy.command('account').description('accounts: whose storage there is')
  const areaHelp = 'its directory, absolute or below the storage'

  account
    .command('create')
    .description('make an account and the directory of its area')
    .option('--id <N>', 'its id, a whole number (default: the next free one)')
    .option('--name <TEXT>', 'a name for people to read')
    .option('--area <DIRECTORY>', `${areaHelp} (default: named by the id)`)
    .option('--verified', 'an operator vouches for it: requests are answered at once')
    .action((options: CreateOptions) => choose(create(options)))

  account
    .command('list')
    .description('show every account')
    .action(() => choose({ look: list }))

  account
    .command('update')
    .description('change the name of an account, or give it another directory; no file is moved')
    .argument('<ID>', 'the account')
    .option('--name <TEXT>', 'a name for people to read; empty for none')
    .option('--area <DIRECTORY>', `${areaHelp}; the same again records whether it is a mount point now`)
    .action((id: string, options: UpdateOptions) => choose(update(id, options)))

  account
    .command('verify')
    .description('answer requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(setVerified(true)(id)))

  account
    .command('unverify')
    .description('answer no more requests for this account')
    .argument('<ID>', 'the account')
    .action((id: string) => choose(setVerified(false)(id)))

  account
    .command('delete')
    .description('delete an account, its tokens and settings, once you have confirmed it; its files stay')
    .argument('<ID>', 'the account')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .option('--dry-run', 'say what would be deleted, and change nothing')
    .action((id: string, options: DeleteOptions) => choose(deleteAccount(id, options)))
}
