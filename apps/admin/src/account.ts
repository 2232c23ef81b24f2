import { Area, U64, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account, AccountChange, NewAccount } from '@canopy/registry/admin'
import type { CreatedArea } from '@canopy/storage-fs/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { type AreaStore, overlapsOf } from './areas.js'
import {
  columns,
  confirmed,
  counted,
  type Outcome,
  type Problem,
  type ReadEnv,
  type Report,
  report,
  type WriteEnv,
  withoutArea,
  wrongUsage,
} from './Command.js'

/** An object store has none, also where one was recorded of a directory of before. */
const isMountPoint = ({ areaIs }: AreaStore, account: Account): boolean =>
  areaIs === 'directory' && account.isMountPoint

export const accountJson = (areas: AreaStore, account: Account) => ({
  id: UserId.toDecimal(account.id),
  name: O.toNullable(account.name),
  verified: account.verified,
  area: areas.directoryOf(account.location),
  mountPoint: isMountPoint(areas, account),
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
      return report(
        all,
        all.length === 0
          ? ['There are no accounts: `canopy account create` makes one.']
          : columns([['ID', 'NAME', 'VERIFIED', 'AREA'], ...rows]),
      )
    }),
  )

type Recorded = Pick<Account, 'isMountPoint' | 'areaMade'>

/** Of a key prefix nothing is recorded: what is known of the directory of the same location stays, for a way back to files. */
export const recordOf = (
  { areaIs }: AreaStore,
  { isNew, isMountPoint }: CreatedArea,
  before: Recorded = { isMountPoint: false, areaMade: false },
): Recorded =>
  areaIs === 'directory'
    ? { isMountPoint, areaMade: isNew || before.areaMade }
    : { isMountPoint: before.isMountPoint, areaMade: before.areaMade }

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
        TE.mapLeft(withoutArea('there is no new account')),
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

const areaOption = (text: string | undefined): E.Either<Problem, O.Option<Area.AreaLocation>> =>
  pipe(text, Argument.optional(Argument.notEmpty('--area')), E.map(O.map(Area.location)))

/** Of an account that was given a directory. */
const areaReport =
  (env: ReadEnv, { account, area }: MadeAccount, first: string, last: ReadonlyArray<string>) =>
  async (): Promise<Report> => {
    const overlaps = await overlapsOf(env, account)()
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

export const create = (
  env: WriteEnv,
  { id, name, area, verified = false }: Argument.Options<'id' | 'name' | 'area', 'verified'>,
): Outcome =>
  pipe(
    Argument.all({
      id: Argument.optional(Argument.userId)(id),
      name: Argument.optional(Argument.notEmpty('--name'))(name),
      location: areaOption(area),
      verified: E.right(verified),
    }),
    TE.fromEither,
    TE.flatMap((wanted) => makeAccount(env, wanted)),
    TE.flatMapTask((made) => {
      const first = `Made ${titleOf(made.account)}, ${verified ? 'verified' : 'not verified'}.`
      return areaReport(env, made, first, verifyHint(made.account))
    }),
  )

const movedLines = (areas: AreaStore, before: Account, area: CreatedArea): ReadonlyArray<string> => {
  const was = areas.directoryOf(before.location)
  if (was !== area.directory) return [`Nothing was moved: the files of before are in ${was}.`]
  if (!isMountPoint(areas, before) || area.isMountPoint) return []
  return [
    'Nothing is mounted there now, and it is served as it is from now on: if its disk is missing, mount it and run this again.',
  ]
}

/** Gives an account a directory, perhaps the one that it has. */
const move = (env: WriteEnv, before: Account, location: Area.AreaLocation, change: AccountChange): Outcome =>
  pipe(
    env.areas.create(location),
    TE.mapLeft(withoutArea('nothing was changed')),
    TE.bindTo('area'),
    TE.bindW('account', ({ area }) => {
      const known = env.areas.directoryOf(before.location) === area.directory ? before : undefined
      return env.registry.accounts.update(before.id, { ...change, location, ...recordOf(env.areas, area, known) })
    }),
    TE.flatMapTask((made) =>
      areaReport(env, made, `Changed ${titleOf(made.account)}.`, movedLines(env.areas, before, made.area)),
    ),
  )

export const update = (env: WriteEnv, id: string, { name, area }: Argument.Options<'name' | 'area'>): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), location: areaOption(area) }),
    E.filterOrElse(
      ({ location }) => name !== undefined || O.isSome(location),
      () => wrongUsage('say what to change', '--name TEXT, --area DIRECTORY, or both'),
    ),
    TE.fromEither,
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

export const setVerified = ({ registry, areas }: WriteEnv, id: string, verified: boolean): Outcome =>
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

interface Deletion {
  readonly account: Account
  /** `account 7 with its 2 tokens and 1 visibility setting`. */
  readonly what: string
  readonly directory: string
}

/**
 * Whether Canopy made its directory, and no other area, nor the storage or the data directory, is in it or around it. Of a key
 * prefix the registry may know what is of a directory of before. Areas are looked at last: one may be on a mount that hangs.
 */
const isRemovable =
  (env: ReadEnv, account: Account): T.Task<boolean> =>
  async () =>
    env.areas.areaIs === 'directory' &&
    account.areaMade &&
    !account.isMountPoint &&
    (await overlapsOf(env, account)()).length === 0

/** What goes with an account and what stays, once `act` has deleted it or left it. */
const deletion = (env: ReadEnv, id: string, deleted: boolean, act: (deletion: Deletion) => Outcome<unknown>): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.bindTo('user'),
    TE.bindW('account', ({ user }) => env.registry.accounts.find(user)),
    TE.bindW('tokens', ({ user }) => env.registry.tokens.of(user)),
    TE.bindW('settings', ({ user }) => env.registry.settings.of(user)),
    TE.bindW('removable', ({ account }) => TE.fromTask(isRemovable(env, account))),
    TE.let('directory', ({ account }) => env.areas.directoryOf(account.location)),
    TE.let('what', ({ account, tokens, settings }) => {
      const counts = `${counted(tokens.length, 'token')} and ${counted(settings.size, 'visibility setting')}`
      return `${titleOf(account)} with its ${counts}`
    }),
    TE.tap((found) => act(found)),
    TE.map(({ account, tokens, settings, removable, directory, what }) => {
      const removal = `Canopy made that directory: \`rm -r ${shellWord(directory)}\` when its files are not needed.`
      const counts = { tokens: tokens.length, settings: settings.size }
      return report({ ...accountJson(env.areas, account), ...counts, removable, deleted }, [
        `${deleted ? 'Deleted' : 'Would delete'} ${what}.`,
        `Its files stay in ${directory}.`,
        ...(removable ? [removal] : []),
      ])
    }),
  )

export const dryDelete = (env: ReadEnv, id: string): Outcome => deletion(env, id, false, () => TE.right(undefined))

export const remove = (env: WriteEnv, id: string, yes = false): Outcome =>
  deletion(env, id, true, ({ account, what, directory }) => {
    const question = [`This deletes ${what}; its files stay in ${directory}.`, 'Delete it?']
    const suggestion = 'add --yes to delete, or --dry-run to see what would go'
    return pipe(
      yes ? TE.right(true) : confirmed(env, question, suggestion, 'nothing was deleted'),
      TE.flatMap((): Outcome<unknown> => env.registry.accounts.delete(account.id)),
    )
  })
