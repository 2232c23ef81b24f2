import { Area, type Rule, Settings, U64, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account, AccountChange, NewAccount } from '@canopy/registry/admin'
import type { CreatedArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './AreaStore.js'
import * as Argument from './Argument.js'
import { type Args, type Options, type Outcome, type ReadEnv, requireConfirmation, type WriteEnv } from './Command.js'
import { overlapsOf } from './overlaps.js'
import { withPrefix, wrongUsage } from './Problem.js'
import { type Report, report, table, withCount } from './Report.js'
import { recommendedRules } from './secretNames.js'

export const accountJson = (areas: AreaStore, { id, name, verified, location, isMountPoint }: Account) => ({
  id: UserId.toDecimal(id),
  name: O.toNullable(name),
  verified,
  area: areas.directoryOf(location),
  mountPoint: areas.kind === 'directory' && isMountPoint,
})

/** `account 7 (Photos)`. */
const titleOf = ({ id, name }: Account): string =>
  `account ${UserId.toDecimal(id)}${O.isSome(name) ? ` (${name.value})` : ''}`

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const verifyHint = ({ id, verified }: Account): ReadonlyArray<string> => {
  const hint = `The account is not verified: until you run \`canopy account verify ${UserId.toDecimal(id)}\`, requests with its tokens fail with \`not verified\`, and visitors' requests fail with \`permission denied\`.`
  return verified ? [] : [hint]
}

export const list = ({ registry, areas }: ReadEnv): Outcome =>
  pipe(
    registry.accounts.all,
    TE.map((accounts) => {
      const documents = accounts.map((account) => accountJson(areas, account))
      const rows = documents.map(({ id, name, verified, area }) => [id, name ?? '-', verified ? 'yes' : 'no', area])
      const empty = 'No accounts yet. Run `canopy account create` to create one.'
      return report(documents, table(['ID', 'NAME', 'VERIFIED', 'AREA'], rows, empty))
    }),
  )

/** Records whether Canopy created the directory, and whether it is a mount point; neither applies to a key prefix. */
export const areaRecord = (
  { kind }: AreaStore,
  { isNew, isMountPoint }: CreatedArea,
  { wasMadeByCanopy = false } = {},
) => ({
  isMountPoint,
  areaMade: kind === 'directory' && (isNew || wasMadeByCanopy),
})

/** Without an id, the account gets a free one. */
interface AccountRequest extends Omit<NewAccount, 'id'> {
  readonly id: O.Option<UserId.UserId>
  readonly rules?: ReadonlyArray<Rule>
}

interface AccountWithArea {
  readonly account: Account
  readonly area: CreatedArea
}

type CreateEnv = Pick<WriteEnv, 'registry' | 'areas'>

/** Creates an account and the directory of its area, or neither. */
export const createAccount = (env: CreateEnv, request: AccountRequest): Outcome<AccountWithArea> => {
  const { registry, areas } = env
  return pipe(
    request.id,
    O.match(() => findFreeId(env), TE.right),
    // The account stays unverified until its rules and its area are recorded.
    TE.flatMap((id) => registry.accounts.create({ ...request, id, verified: false })),
    TE.flatMap(({ id, location }) =>
      pipe(
        areas.create(location),
        TE.mapLeft(withPrefix('no account was created')),
        TE.bindTo('area'),
        TE.tap((): Outcome<unknown> => registry.rules.add(id, request.rules ?? [])),
        TE.bindW('account', ({ area }) =>
          registry.accounts.update(id, { verified: request.verified, ...areaRecord(areas, area) }),
        ),
        TE.tapError(() => registry.accounts.delete(id)),
      ),
    ),
    // Another process took the free id first.
    TE.orElse((failure) =>
      failure.error === 'account exists' && O.isNone(request.id) ? createAccount(env, request) : TE.left(failure),
    ),
  )
}

/**
 * Returns the smallest id from 1 without an account and without a directory, which could contain files of another registry's
 * account.
 */
const findFreeId = ({ registry, areas }: CreateEnv): Outcome<UserId.UserId> =>
  pipe(
    registry.accounts.all,
    TE.flatMapTask((accounts) => async () => {
      const used = new Set<bigint>(accounts.map(({ id }) => id))
      let id = 1n
      while (used.has(id) || (await areas.exists(Area.location(`${id}`))())) id += 1n
      return U64.clamp(id) as UserId.UserId
    }),
  )

const areaOption = Argument.optional(Argument.area('--area'))

export const create = (env: WriteEnv, _: Args, options: Options): Outcome => {
  const { id, name, area, verified = false } = options
  const rules = options.recommendedRules === true ? recommendedRules : []
  const patterns = rules.map(({ pattern }) => shellWord(pattern)).join(' ')
  return pipe(
    Argument.all({
      id: Argument.optional(Argument.userId)(id),
      name: Argument.optional(Argument.notEmpty('--name'))(name),
      location: areaOption(area),
    }),
    TE.flatMap((request) => createAccount(env, { ...request, verified, rules })),
    TE.flatMapTask((created) =>
      areaReport(env, created, {
        title: `Created ${titleOf(created.account)}, ${verified ? 'verified' : 'not verified'}.`,
        details: [
          ...(rules.length === 0 ? [] : [`Added rules that make these names private: ${patterns}`]),
          ...verifyHint(created.account),
        ],
        json: options.recommendedRules === true ? { rules } : {},
      }),
    ),
  )
}

interface AreaReportText {
  readonly title: string
  readonly details: ReadonlyArray<string>
  readonly json?: object
}

const areaReport =
  (env: ReadEnv, { account, area }: AccountWithArea, { title, details, json = {} }: AreaReportText) =>
  async (): Promise<Report> => {
    const overlaps = await overlapsWith(env, account)()
    const { kind } = env.areas
    const mountWarning =
      'The directory is a mount point: whenever it is not mounted, requests fail with the error `external`.'
    return report({ ...accountJson(env.areas, account), areaIsNew: area.isNew, overlaps, ...json }, [
      title,
      `Files: ${area.directory}`,
      ...(area.isNew ? [`The ${kind} is new and empty.`] : []),
      ...(area.isMountPoint ? [mountWarning] : []),
      ...overlaps.map((overlap) => `Note: the ${kind} ${overlap}.`),
      ...details,
    ])
  }

/** Empty when the registry fails. */
const overlapsWith = (env: ReadEnv, { id }: Account): T.Task<ReadonlyArray<string>> =>
  pipe(
    env.registry.accounts.all,
    TE.flatMapTask((accounts) => overlapsOf(env, accounts)),
    TE.match(
      () => [],
      (overlapsFor) => overlapsFor(id),
    ),
  )

export const update = (env: WriteEnv, [id]: Args, { name, area }: Options): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), location: areaOption(area) }),
    TE.filterOrElse(
      () => name !== undefined || area !== undefined,
      () => wrongUsage('nothing to change', 'specify --name TEXT, --area DIRECTORY, or both'),
    ),
    TE.bindW('before', ({ user }) => env.registry.accounts.find(user)),
    TE.flatMap(({ before, location }) => {
      const change = name === undefined ? {} : { name: name === '' ? O.none : O.some(name) }
      return O.isSome(location)
        ? changeArea(env, before, location.value, change)
        : pipe(
            env.registry.accounts.update(before.id, change),
            TE.map((account) => report(accountJson(env.areas, account), [`Updated ${titleOf(account)}.`])),
          )
    }),
  )

/** Also records the current state of the same directory. */
const changeArea = (env: WriteEnv, before: Account, location: Area.AreaLocation, change: AccountChange): Outcome =>
  pipe(
    env.areas.create(location),
    TE.mapLeft(withPrefix('nothing was changed')),
    TE.bindTo('area'),
    TE.bindW('account', ({ area }) => {
      const wasMadeByCanopy = before.areaMade && env.areas.directoryOf(before.location) === area.directory
      const record = areaRecord(env.areas, area, { wasMadeByCanopy })
      return env.registry.accounts.update(before.id, { ...change, location, ...record })
    }),
    TE.flatMapTask((changed) =>
      areaReport(env, changed, {
        title: `Updated ${titleOf(changed.account)}.`,
        details: changeDetails(env.areas, before, changed.area),
      }),
    ),
  )

const changeDetails = (areas: AreaStore, before: Account, area: CreatedArea): ReadonlyArray<string> => {
  const previous = areas.directoryOf(before.location)
  if (previous !== area.directory) return [`No files were moved: the existing ones are still in ${previous}.`]
  if (areas.kind !== 'directory' || !before.isMountPoint || area.isMountPoint) return []
  return [
    'Nothing is mounted there now, so the directory is served as is. If its disk is missing, mount it and repeat this command.',
  ]
}

export const verify =
  (verified: boolean) =>
  ({ registry, areas }: WriteEnv, [id]: Args): Outcome =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.flatMap((user) => registry.accounts.update(user, { verified })),
      TE.map((account) =>
        report(accountJson(areas, account), [
          verified ? `Verified ${titleOf(account)}.` : `${capitalized(titleOf(account))} is no longer verified.`,
          ...verifyHint(account),
        ]),
      ),
    )

export const dryDelete = (env: ReadEnv, [id]: Args): Outcome =>
  pipe(
    planDeletion(env, id),
    TE.map((deletion) => deletion.report(false)),
  )

export const remove = (env: WriteEnv, [id]: Args, { yes = false }: Options): Outcome =>
  pipe(
    planDeletion(env, id),
    TE.tap(({ question }) =>
      yes
        ? TE.right(true)
        : requireConfirmation(env, {
            question,
            hint: 'add --yes to delete, or --dry-run to see the effect',
            refusal: 'nothing was deleted',
          }),
    ),
    TE.tap((deletion): Outcome<unknown> => env.registry.accounts.delete(deletion.id)),
    TE.map((deletion) => deletion.report(true)),
  )

const planDeletion = (env: ReadEnv, id: string) =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.bindTo('user'),
    TE.bindW('account', ({ user }) => env.registry.accounts.find(user)),
    TE.bindW('tokens', ({ user }) => env.registry.tokens.of(user)),
    TE.bindW('settings', ({ user }) => env.registry.settings.of(user)),
    TE.bindW('removable', ({ account }) => TE.fromTask(isRemovable(env, account))),
    TE.map(({ account, tokens, settings, removable }) => {
      const directory = env.areas.directoryOf(account.location)
      const counts = {
        tokens: tokens.length,
        settings: Settings.size(settings),
        rules: Settings.rules(settings).length,
      }
      const target = `${titleOf(account)}, ${withCount(counts.tokens, 'token')}, ${withCount(counts.settings, 'visibility setting')} and ${withCount(counts.rules, 'rule')}`
      const removal = (deleted: boolean) =>
        `Canopy created this directory. ${deleted ? 'If' : 'Afterwards, if'} you no longer need its files, run \`rm -r ${shellWord(directory)}\`.`
      const json = { ...accountJson(env.areas, account), ...counts, removable }
      return {
        id: account.id,
        question: [`This will delete ${target}. Its files are kept in ${directory}.`, 'Delete the account?'],
        report: (deleted: boolean) =>
          report({ ...json, deleted }, [
            `${deleted ? 'Deleted' : 'Would delete'} ${target}.`,
            `Its files ${deleted ? 'are still' : 'would be kept'} in ${directory}.`,
            ...(removable ? [removal(deleted)] : []),
          ]),
      }
    }),
  )

/** Created by Canopy, outside mounts, without overlaps. These come last: another area may be on a hanging mount. */
const isRemovable =
  (env: ReadEnv, account: Account): T.Task<boolean> =>
  async () =>
    env.areas.kind === 'directory' &&
    account.areaMade &&
    !account.isMountPoint &&
    !env.areas.holdsMount(account.location) &&
    (await overlapsWith(env, account)()).length === 0
