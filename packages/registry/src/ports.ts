import {
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  Failure,
  type Rule,
  Rules,
  Settings,
  type SettingsOfEnv,
  type StoragePath,
  type TriggerOfEnv,
  U64,
  type Visibility,
} from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { Kysely } from 'kysely'
import { batchSize, cachedQuery, close, type ReadDatabase, tryQuery } from './Database.js'
import * as Row from './rows.js'
import type { Schema } from './Schema.js'

/** Unix time in seconds. */
export type Now = () => U64.U64

const systemNow: Now = () => U64.clamp(BigInt(Math.floor(Date.now() / 1000)))

/** `expires` is exclusive: the token is already invalid in that second. */
const hasExpired = (now: Now, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && now() >= expires.value

const areaOf = ({ id, location, isMountPoint }: Row.Account): Area.Area =>
  isMountPoint ? { owner: id, location, isMountPoint } : { owner: id, location }

const areaOfToken = ({ db, version }: ReadDatabase, now: Now): AreaOfTokenEnv['areaOfToken'] => {
  const find = cachedQuery(
    version,
    (sha256) =>
      db
        .selectFrom('tokens')
        .innerJoin('accounts', 'accounts.id', 'tokens.account')
        .selectAll()
        .where('sha256', '=', sha256)
        .execute(),
    ([found]) =>
      pipe(
        E.fromNullable(Failure.invalidToken)(found),
        E.bindTo('row'),
        E.bindW('token', ({ row }) => Row.decodeToken(row)),
        E.bindW('account', ({ row }) => Row.decodeAccount(row)),
        E.map(({ token: { scope, expires }, account }) => ({
          grant: { area: areaOf(account), scope },
          expires,
          verified: account.verified,
        })),
      ),
  )
  return (token) =>
    tryQuery(async () => {
      const found = await find(Row.sha256Hex(token))
      if (E.isLeft(found)) return found
      const { grant, expires, verified } = found.right
      if (hasExpired(now, expires)) return E.left(Failure.invalidToken)
      return verified ? E.right(grant) : E.left(Failure.notVerified)
    })
}

const areaOfUser = ({ db, version }: ReadDatabase): AreaOfUserEnv['areaOfUser'] => {
  const find = cachedQuery(
    version,
    (id) => db.selectFrom('accounts').selectAll().where('id', '=', id).execute(),
    // Cached in one step: a missing account then takes the same time as an unverified one.
    ([row]) =>
      pipe(
        E.fromNullable(Failure.permissionDenied)(row),
        E.flatMap(Row.decodeAccount),
        E.filterOrElseW(
          ({ verified }) => verified,
          () => Failure.permissionDenied,
        ),
        E.map(areaOf),
      ),
  )
  return (user) => tryQuery(() => find(Row.padded(user)))
}

const triggerOf = ({ db, version }: ReadDatabase, now: Now): TriggerOfEnv['triggerOf'] => {
  const find = cachedQuery(
    version,
    (id) => db.selectFrom('triggers').selectAll().where('id', '=', id).execute(),
    ([row]) => pipe(E.fromNullable(Failure.triggerNotFound)(row), E.flatMap(Row.decodeTrigger)),
  )
  return (id) =>
    tryQuery(async () => {
      const found = await find(id)
      if (E.isLeft(found)) return found
      const { value, expires } = found.right
      return hasExpired(now, expires) ? E.left(Failure.triggerNotFound) : E.right(value)
    })
}

/** Reads both tables in one statement: the result is consistent, and its time does not reveal whether an area has rules. */
const settingsQuery = (db: Kysely<Schema>, account: string) =>
  db
    .selectFrom('settings')
    .select(({ lit }) => ['path', lit(null).$castTo<string | null>().as('pattern'), 'visibility'])
    .where('account', '=', account)
    .unionAll(({ selectFrom }) =>
      selectFrom('rules')
        .select(({ lit }) => [lit(null).$castTo<string>().as('path'), 'pattern', 'visibility'])
        .where('account', '=', account),
    )

type SettingRows = Readonly<Awaited<ReturnType<ReturnType<typeof settingsQuery>['execute']>>>

interface Decoded {
  readonly visibilities: Map<StoragePath.StoragePath, Visibility.Visibility>
  readonly rules: Array<Rule>
}

const nothingDecoded = (): Decoded => ({ visibilities: new Map(), rules: [] })

/** Another program may repeat a path under different keys. One row could silently override the operator's setting. */
const duplicatePath = Row.notWrittenByCanopy('settings.path_sha256')

/** Fails on the first invalid row: without one of its settings or rules, an area would show hidden nodes. */
const addRows = (all: Decoded, rows: SettingRows): E.Either<Failure.External, Decoded> => {
  const { visibilities, rules } = all
  const before = visibilities.size + rules.length
  for (const row of rows) {
    if (row.pattern === null) {
      const setting = Row.decodeSetting(row)
      if (E.isLeft(setting)) return setting
      visibilities.set(setting.right.path, setting.right.visibility)
    } else {
      const rule = Row.decodeRule(row)
      if (E.isLeft(rule)) return rule
      rules.push(rule.right)
    }
  }
  return visibilities.size + rules.length < before + rows.length ? E.left(duplicatePath) : E.right(all)
}

type ReadSettings = E.Either<Failure.External, Settings.Settings>

const toSettings = ({ visibilities, rules }: Decoded): ReadSettings =>
  pipe(
    Rules.fromRules(rules),
    E.fromOption(() => Row.notWrittenByCanopy('rules.pattern')),
    E.map((within) => Settings.withRules(within)(Settings.fromMap(visibilities))),
  )

const decodeSettings = (rows: SettingRows): ReadSettings => pipe(addRows(nothingDecoded(), rows), E.flatMap(toSettings))

/** Runs one query. Rejects if it fails; `left` if a row does not decode. */
export const readSettings = async (db: Kysely<Schema>, account: string): Promise<ReadSettings> =>
  decodeSettings(await settingsQuery(db, account).execute())

/** Reads in batches, because one statement for a million settings could exceed PostgreSQL's statement timeout. */
const readInBatches = ({ snapshot, batches }: ReadDatabase, account: string): Promise<ReadSettings> =>
  snapshot(async (db) => {
    const all = nothingDecoded()
    for await (const rows of batches(db, settingsQuery(db, account))) {
      const added = addRows(all, rows)
      if (E.isLeft(added)) return added
    }
    return toSettings(all)
  })

/**
 * Reads settings again only when their version changes. Reads the version first: if the settings change in
 * between, the next call sees a new version and reads again. Areas without settings or rules do the same work as others.
 */
export const settingsOf = (database: ReadDatabase): SettingsOfEnv['settingsOf'] => {
  const { db, version } = database
  /** Limits reads of an account to one running and one queued, even while its settings change all the time. */
  const flight = singleFlight<ReadSettings>()
  const readMany = (account: string): Promise<ReadSettings> => flight(account, () => readInBatches(database, account))
  const read = async (account: string): Promise<ReadSettings> => {
    const rows = await settingsQuery(db, account).limit(batchSize).execute()
    return rows.length < batchSize ? decodeSettings(rows) : readMany(account)
  }
  const findReader = cachedQuery(
    version,
    (account) => db.selectFrom('settings_versions').select('version').where('account', '=', account).execute(),
    // Cached per version: the first caller reads, the others share its result. A rejected read is tried again.
    (_, account): (() => Promise<ReadSettings>) => {
      let reading: Promise<ReadSettings> | undefined
      return () => {
        reading ??= read(account).catch((cause: unknown) => {
          reading = undefined
          return Promise.reject(cause)
        })
        return reading
      }
    },
  )
  return (owner) => tryQuery(async () => (await findReader(Row.padded(owner)))())
}

/** The reading side, as a server needs it. Every call reads the committed state of that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

export const registryOver = (database: ReadDatabase, now: Now = systemNow): Registry => ({
  areaOfToken: areaOfToken(database, now),
  areaOfUser: areaOfUser(database),
  settingsOf: settingsOf(database),
  triggerOf: triggerOf(database, now),
  close: close(database),
})
