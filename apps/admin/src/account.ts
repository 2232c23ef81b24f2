import { type Area, Settings, U64, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account, AccountChange, NewAccount } from '@canopy/registry/admin'
import type { CreatedArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { type AreaStore, overlapsOf } from './areas.js'
import { confirmed, type Options, type Outcome, type ReadEnv, type Words, type WriteEnv } from './Command.js'
import { without, wrongUsage } from './Problem.js'
import { counted, type Report, report, table } from './Report.js'

export const accountJson = (areas: AreaStore, { id, name, verified, location, isMountPoint }: Account) => ({
  id: UserId.toDecimal(id),
  name: O.toNullable(name),
  verified,
  area: areas.directoryOf(location),
  mountPoint: areas.areaIs === 'directory' && isMountPoint,
})

/** `account 7 (Photos)`. */
const titleOf = ({ id, name }: Account): string =>
  `account ${UserId.toDecimal(id)}${O.isSome(name) ? ` (${name.value})` : ''}`

export const verifyHint = ({ id, verified }: Account): ReadonlyArray<string> => {
  const hint = `The account is not verified: until \`canopy account verify ${UserId.toDecimal(id)}\`, requests with its tokens answer \`not verified\`, and visitors get \`permission denied\`.`
  return verified ? [] : [hint]
}

export const list = ({ registry, areas }: ReadEnv): Outcome =>
  pipe(
    registry.accounts.all,
    TE.map((accounts) => {
      const all = accounts.map((account) => accountJson(areas, account))
      const rows = all.map(({ id, name, verified, area }) => [id, name ?? '-', verified ? 'yes' : 'no', area])
      const none = 'There are no accounts: `canopy account create` makes one.'
      return report(all, table(['ID', 'NAME', 'VERIFIED', 'AREA'], rows, none))
    }),
  )

/** What is recorded of an area. Of a key prefix nothing: it is no mount point, and Canopy removes no objects. */
export const recordOf = ({ areaIs }: AreaStore, { isNew, isMountPoint }: CreatedArea, madeBefore = false) => ({
  isMountPoint,
  areaMade: areaIs === 'directory' && (isNew || madeBefore),
})

/** Without an id it gets one that is free. */
type WantedAccount = Omit<NewAccount, 'id'> & { readonly id: O.Option<UserId.UserId> }

interface MadeAccount {
  readonly account: Account
  readonly area: CreatedArea
}

type MakeEnv = Pick<WriteEnv, 'registry' | 'areas'>

/** The smallest id from 1 that no account has, and no directory: that may hold files of an account of another registry. */
const freeId = ({ registry, areas }: MakeEnv): Outcome<UserId.UserId> =>
  pipe(
    registry.accounts.all,
    TE.bindTo('accounts'),
    TE.bindW('names', () => areas.names),
    TE.map(({ accounts, names }) => {
      const used = new Set([...names, ...accounts.map(({ id }) => UserId.toDecimal(id))])
      let id = 1n
      while (used.has(id.toString())) id += 1n
      return U64.clamp(id) as UserId.UserId
    }),
  )

/** An account and the directory of its area; without the directory there is no account. */
export const makeAccount = (env: MakeEnv, wanted: WantedAccount): Outcome<MadeAccount> => {
  const { registry, areas } = env
  return pipe(
    wanted.id,
    O.match(() => freeId(env), TE.right),
    // No request is answered for it before its area is recorded.
    TE.flatMap((id) => registry.accounts.create({ ...wanted, id, verified: false })),
    TE.flatMap(({ id, location }) =>
      pipe(
        areas.create(location),
        TE.mapLeft(without('there is no new account')),
        TE.bindTo('area'),
        TE.bindW('account', ({ area }) =>
          registry.accounts.update(id, { verified: wanted.verified, ...recordOf(areas, area) }),
        ),
        TE.tapError(() => registry.accounts.delete(id)),
      ),
    ),
    // When another process was quicker, an account without a chosen id takes the next one.
    TE.orElse((problem) =>
      problem.error === 'account exists' && O.isNone(wanted.id) ? makeAccount(env, wanted) : TE.left(problem),
    ),
  )
}

const areaOption = Argument.optional(Argument.area('--area'))

/** How the area of an account lies to all others; nothing where the registry fails. */
const overlapsWith = (env: ReadEnv, { id }: Account): T.Task<ReadonlyArray<string>> =>
  pipe(
    env.registry.accounts.all,
    TE.flatMapTask((accounts) => overlapsOf(env, accounts)),
    TE.match(
      () => [],
      (overlapsOf) => overlapsOf(id),
    ),
  )

/** Of an account that was given a directory. */
const areaReport =
  (env: ReadEnv, { account, area }: MadeAccount, first: string, last: ReadonlyArray<string>) =>
  async (): Promise<Report> => {
    const overlaps = await overlapsWith(env, account)()
    const { areaIs } = env.areas
    const mounted = 'It is a mount point: while nothing is mounted there, requests answer `external`.'
    return report({ ...accountJson(env.areas, account), areaIsNew: area.isNew, overlaps }, [
      first,
      `Its files: ${area.directory}`,
      ...(area.isNew ? [`The ${areaIs} is new, and empty.`] : []),
      ...(area.isMountPoint ? [mounted] : []),
      ...overlaps.map((words) => `Mind its ${areaIs}: ${words}.`),
      ...last,
    ])
  }

export const create = (env: WriteEnv, _: Words, { id, name, area, verified = false }: Options): Outcome =>
  pipe(
    Argument.all({
      id: Argument.optional(Argument.userId)(id),
      name: Argument.optional(Argument.notEmpty('--name'))(name),
      location: areaOption(area),
    }),
    TE.flatMap((wanted) => makeAccount(env, { ...wanted, verified })),
    TE.flatMapTask((made) => {
      const first = `Made ${titleOf(made.account)}, ${verified ? 'verified' : 'not verified'}.`
      return areaReport(env, made, first, verifyHint(made.account))
    }),
  )

const movedLines = (areas: AreaStore, before: Account, area: CreatedArea): ReadonlyArray<string> => {
  const was = areas.directoryOf(before.location)
  if (was !== area.directory) return [`Nothing was moved: the files of before are in ${was}.`]
  if (areas.areaIs !== 'directory' || !before.isMountPoint || area.isMountPoint) return []
  return [
    'Nothing is mounted there now, and it is served as it is from now on: if its disk is missing, mount it and run this again.',
  ]
}

/** Gives an account a directory, perhaps the one that it has. */
const move = (env: WriteEnv, before: Account, location: Area.AreaLocation, change: AccountChange): Outcome =>
  pipe(
    env.areas.create(location),
    TE.mapLeft(without('nothing was changed')),
    TE.bindTo('area'),
    TE.bindW('account', ({ area }) => {
      const madeBefore = before.areaMade && env.areas.directoryOf(before.location) === area.directory
      return env.registry.accounts.update(before.id, { ...change, location, ...recordOf(env.areas, area, madeBefore) })
    }),
    TE.flatMapTask((made) =>
      areaReport(env, made, `Changed ${titleOf(made.account)}.`, movedLines(env.areas, before, made.area)),
    ),
  )

export const update = (env: WriteEnv, [id]: Words, { name, area }: Options): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), location: areaOption(area) }),
    TE.filterOrElse(
      () => name !== undefined || area !== undefined,
      () => wrongUsage('say what to change', '--name TEXT, --area DIRECTORY, or both'),
    ),
    TE.bindW('before', ({ user }) => env.registry.accounts.find(user)),
    TE.flatMap(({ before, location }) => {
      const change = name === undefined ? {} : { name: name === '' ? O.none : O.some(name) }
      return O.isSome(location)
        ? move(env, before, location.value, change)
        : pipe(
            env.registry.accounts.update(before.id, change),
            TE.map((account) => report(accountJson(env.areas, account), [`Changed ${titleOf(account)}.`])),
          )
    }),
  )

export const verify =
  (verified: boolean) =>
  ({ registry, areas }: WriteEnv, [id]: Words): Outcome =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) => registry.accounts.update(user, { verified })),
      TE.map((account) =>
        report(accountJson(areas, account), [
          `Now ${titleOf(account)} is ${verified ? 'verified' : 'not verified'}.`,
          ...verifyHint(account),
        ]),
      ),
    )

/**
 * Whether Canopy made its directory, nothing is mounted there, and no other area, nor the storage or the data directory, is
 * in it or around it. Areas are looked at last: one may be on a mount that hangs.
 */
const isRemovable =
  (env: ReadEnv, account: Account): T.Task<boolean> =>
  async () =>
    env.areas.areaIs === 'directory' &&
    account.areaMade &&
    !account.isMountPoint &&
    !env.areas.holdsMount(account.location) &&
    (await overlapsWith(env, account)()).length === 0

/** What goes with an account and what stays. */
const deletionOf = (env: ReadEnv, id: string) =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.bindTo('user'),
    TE.bindW('account', ({ user }) => env.registry.accounts.find(user)),
    TE.bindW('tokens', ({ user }) => env.registry.tokens.of(user)),
    TE.bindW('settings', ({ user }) => env.registry.settings.of(user)),
    TE.bindW('removable', ({ account }) => TE.fromTask(isRemovable(env, account))),
    TE.map(({ account, tokens, settings, removable }) => {
      const directory = env.areas.directoryOf(account.location)
      const counts = `${counted(tokens.length, 'token')} and ${counted(Settings.size(settings), 'visibility setting')}`
      const what = `${titleOf(account)} with its ${counts}`
      const removal = `Canopy made that directory: \`rm -r ${shellWord(directory)}\` when its files are not needed.`
      return {
        id: account.id,
        question: [`This deletes ${what}; its files stay in ${directory}.`, 'Delete it?'],
        report: (deleted: boolean) =>
          report(
            {
              ...accountJson(env.areas, account),
              tokens: tokens.length,
              settings: Settings.size(settings),
              removable,
              deleted,
            },
            [
              `${deleted ? 'Deleted' : 'Would delete'} ${what}.`,
              `Its files stay in ${directory}.`,
              ...(removable ? [removal] : []),
            ],
          ),
      }
    }),
  )

export const dryDelete = (env: ReadEnv, [id]: Words): Outcome =>
  pipe(
    deletionOf(env, id),
    TE.map((deletion) => deletion.report(false)),
  )

export const remove = (env: WriteEnv, [id]: Words, { yes = false }: Options): Outcome =>
  pipe(
    deletionOf(env, id),
    TE.tap(({ question }) => {
      const suggestion = 'add --yes to delete, or --dry-run to see what would go'
      return yes ? TE.right(true) : confirmed(env, question, suggestion, 'nothing was deleted')
    }),
    TE.tap((deletion): Outcome<unknown> => env.registry.accounts.delete(deletion.id)),
    TE.map((deletion) => deletion.report(true)),
  )
