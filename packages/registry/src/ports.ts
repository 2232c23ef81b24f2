import { setImmediate as tick } from 'node:timers/promises'
import { type Area, Failure, type Settings, type StoragePath, U64, type Visibility } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Kysely } from 'kysely'
import { answering, cached, type ReadDatabase } from './Database.js'
import type { Registry } from './openRegistry.js'
import * as Row from './rows.js'
import type { Schema } from './Schema.js'

/** Unix time in seconds. */
export type Now = () => U64.U64

export const systemNow: Now = () => U64.clamp(BigInt(Math.floor(Date.now() / 1000)))

/** `expires` is the first second in which a thing is no longer valid. */
const hasExpired = (now: Now, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && now() >= expires.value

const areaOf = ({ id, location, isMountPoint }: Row.Account): Area.Area =>
  isMountPoint ? { owner: id, location, isMountPoint } : { owner: id, location }

export const areaOfToken = ({ db, version }: ReadDatabase, now: Now): Registry['areaOfToken'] => {
  const find = cached(
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
    answering(async () => {
      const found = await find(Row.sha256Hex(token))
      if (E.isLeft(found)) return found
      const { grant, expires, verified } = found.right
      if (hasExpired(now, expires)) return E.left(Failure.invalidToken)
      return verified ? E.right(grant) : E.left(Failure.notVerified)
    })
}

export const areaOfUser = ({ db, version }: ReadDatabase): Registry['areaOfUser'] => {
  const find = cached(
    version,
    (id) => db.selectFrom('accounts').selectAll().where('id', '=', id).execute(),
    // One step for all, so that an account which is not there costs what one costs that is not verified.
    ([found]) =>
      pipe(
        E.fromNullable(Failure.permissionDenied)(found),
        E.flatMap(Row.decodeAccount),
        E.filterOrElseW(
          ({ verified }) => verified,
          () => Failure.permissionDenied,
        ),
        E.map(areaOf),
      ),
  )
  return (user) => answering(() => find(Row.padded(user)))
}

export const triggerOf = ({ db, version }: ReadDatabase, now: Now): Registry['triggerOf'] => {
  const find = cached(
    version,
    (id) => db.selectFrom('triggers').selectAll().where('id', '=', id).execute(),
    ([found]) => pipe(E.fromNullable(Failure.triggerNotFound)(found), E.flatMap(Row.decodeTrigger)),
  )
  return (id) =>
    answering(async () => {
      const found = await find(id)
      if (E.isLeft(found)) return found
      const { value, expires } = found.right
      return hasExpired(now, expires) ? E.left(Failure.triggerNotFound) : E.right(value)
    })
}

type Read = E.Either<Failure.External, Settings.Settings>

/** What SQLite and decoding take a few milliseconds for. */
const fewRows = 200

/** By the key of a row that another program wrote: the other row could undo what an operator sets. */
const twoOfOnePath = Row.notWrittenByCanopy('settings.path_sha256')

/**
 * The settings of an account, a part of the rows at a time, and other work in between: SQLite answers on this thread, and
 * an area may have a million of them. Parts are not of one moment: the caller sees that nothing has changed in between.
 * Rejects when they cannot be read; `left` when they do not decode.
 */
export const readSettings = async (
  db: Kysely<Schema>,
  account: string,
  rowsOfAPart = Number.MAX_SAFE_INTEGER,
): Promise<Read> => {
  const settings = new Map<StoragePath.StoragePath, Visibility.Visibility>()
  const first = db
    .selectFrom('settings')
    .select(['path_sha256', 'path', 'visibility'])
    .where('account', '=', account)
    .orderBy('path_sha256')
    .limit(rowsOfAPart)
  let rows = await first.execute()
  for (let read = 0; ; ) {
    const decoded = Row.decodeSettings(rows)
    if (E.isLeft(decoded)) return decoded
    for (const { path, visibility } of decoded.right) settings.set(path, visibility)
    read += rows.length
    if (settings.size < read) return E.left(twoOfOnePath)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsOfAPart) return E.right(settings)
    await tick()
    rows = await first.where('path_sha256', '>', last.path_sha256).execute()
  }
}

/**
 * Settings are read again only when their version is another one. It is asked for before them and after: if they changed
 * in between, they are read at once, so that they are of one moment whatever writers do, and at the worst newer than
 * their version, and read once more. An account that has none takes the same steps as any other.
 */
export const settingsOf = ({ db, version }: ReadDatabase): Registry['settingsOf'] => {
  const readerOf = cached(
    version,
    (account) => db.selectFrom('settings_versions').select('version').where('account', '=', account).execute(),
    // The same value while the version stays the same: who reads for it has the settings, also those that do not decode.
    (_, account): (() => Promise<Read>) => {
      let reading: Promise<Read> | undefined
      const readOnce = async (): Promise<Read> => {
        const settings = await readSettings(db, account, fewRows)
        return (await readerOf(account)) === reader ? settings : readSettings(db, account)
      }
      const reader = (): Promise<Read> => {
        reading ??= readOnce().catch((cause: unknown) => {
          reading = undefined
          return Promise.reject(cause)
        })
        return reading
      }
      return reader
    },
  )
  return (owner) => answering(async () => (await readerOf(Row.padded(owner)))())
}
