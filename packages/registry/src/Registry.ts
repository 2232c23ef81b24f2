import { isDeepStrictEqual } from 'node:util'
import {
  type AccessToken,
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  Failure,
  type SettingsOfEnv,
  type TriggerId,
  type TriggerOfEnv,
  U64,
  type UserId,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import { LRUCache } from 'lru-cache'
import { close, type ReadDatabase, tryQuery } from './Database.js'
import { type ReadSettings, settingsReader } from './readSettings.js'
import * as Row from './rows.js'

/** The reading side, as a server needs it. Every call reads the committed state of that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

/** Unix time in seconds. */
export type Now = () => U64.U64

const systemNow: Now = () => U64.clamp(BigInt(Math.floor(Date.now() / 1000)))

export const registryOver = (database: ReadDatabase, now: Now = systemNow): Registry => ({
  areaOfToken: port(areaOfToken(database, now)),
  areaOfUser: port(areaOfUser(database)),
  settingsOf: port(settingsOf(database)),
  triggerOf: port(triggerOf(database, now)),
  close: close(database),
})

/** Makes a port of a query that rejects with exceptions of the driver. */
const port =
  <In, Result extends E.Either<unknown, unknown>>(ask: (input: In) => Promise<Result>) =>
  (input: In) =>
    tryQuery(() => ask(input))

/** `expires` is exclusive: the token is already invalid in that second. */
const hasExpired = (now: Now, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && now() >= expires.value

const areaOf = ({ id, location, isMountPoint }: Row.Account): Area.Area =>
  isMountPoint ? { owner: id, location, isMountPoint } : { owner: id, location }

const areaOfToken = ({ db, version }: ReadDatabase, now: Now) => {
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
  return async (token: AccessToken.AccessToken) => {
    const found = await find(Row.sha256Hex(token))
    if (E.isLeft(found)) return found
    const { grant, expires, verified } = found.right
    if (hasExpired(now, expires)) return E.left(Failure.invalidToken)
    return verified ? E.right(grant) : E.left(Failure.notVerified)
  }
}

const areaOfUser = ({ db, version }: ReadDatabase) => {
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
  return (user: UserId.UserId) => find(Row.padded(user))
}

/**
 * Reads the settings of an account again only when its row of `settings_versions` changes. Reads that row first: if the settings
 * change in between, the next call finds another version and reads again. Areas without settings or rules do the same work as others.
 */
const settingsOf = (database: ReadDatabase) => {
  const { db, version } = database
  const read = settingsReader(database)
  const findReader = cachedQuery(
    version,
    (account) => db.selectFrom('settings_versions').select('version').where('account', '=', account).execute(),
    // A function for each version: its first caller reads the settings, later ones share the result. A rejected read is tried again.
    (_, account) => {
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
  return async (owner: UserId.UserId) => (await findReader(Row.padded(owner)))()
}

const triggerOf = ({ db, version }: ReadDatabase, now: Now) => {
  const find = cachedQuery(
    version,
    (id) => db.selectFrom('triggers').selectAll().where('id', '=', id).execute(),
    ([row]) => pipe(E.fromNullable(Failure.triggerNotFound)(row), E.flatMap(Row.decodeTrigger)),
  )
  return async (id: TriggerId.TriggerId) => {
    const found = await find(id)
    if (E.isLeft(found)) return found
    const { value, expires } = found.right
    return hasExpired(now, expires) ? E.left(Failure.triggerNotFound) : E.right(value)
  }
}

type Rows = ReadonlyArray<object>

interface CachedRows<A> {
  readonly rows: Rows
  readonly value: A
  /** Read before the rows, which may therefore be newer but never older. */
  readonly version: number | string
}

/** Upper bound of the accounts, tokens or triggers in one cache. */
const maxEntries = 20_000

/** A larger row counts as several entries: a trigger may have a large value. */
const charactersPerEntry = 4096

const sizeOf = ({ rows }: CachedRows<unknown>): number =>
  1 + Math.floor(rows.flatMap((row) => Object.values(row)).join('').length / charactersPerEntry)

/**
 * A query by key that runs again only when the database has a new version. While the rows stay equal, callers get the same
 * value, so a change elsewhere does not invalidate it. Missing rows are cached too: a wrong guess takes the same time as a
 * right one. They have a cache of their own, so guesses evict only other guesses.
 */
export const cachedQuery = <A>(
  version: ReadDatabase['version'],
  query: (key: string) => Promise<Rows>,
  toValue: (rows: Rows, key: string) => A,
): ((key: string) => Promise<A>) => {
  // Bounded by size: with `max` the cache would allocate half a megabyte at once.
  const bounds = { maxSize: maxEntries, sizeCalculation: sizeOf }
  const present = new LRUCache<string, CachedRows<A>>(bounds)
  const absent = new LRUCache<string, CachedRows<A>>(bounds)
  const find = (key: string): CachedRows<A> | undefined => present.get(key) ?? absent.get(key)

  return async (key) => {
    const now = await version()
    const cached = find(key)
    if (cached?.version === now) return cached.value
    const rows = await query(key)
    // Another call may have updated the entry during the query.
    const last = find(key)
    const value = last !== undefined && isDeepStrictEqual(last.rows, rows) ? last.value : toValue(rows, key)
    const [home, other] = rows.length > 0 ? [present, absent] : [absent, present]
    other.delete(key)
    home.set(key, { rows, value, version: now })
    return value
  }
}
