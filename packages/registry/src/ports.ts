import { type Area, Failure, Settings, type StoragePath, U64, type Visibility } from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Kysely } from 'kysely'
import { answering, batchesOf, cached, type ReadDatabase, rowsOfABatch } from './Database.js'
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

const rowsOf = (db: Kysely<Schema>, account: string) =>
  db.selectFrom('settings').select(['path', 'visibility']).where('account', '=', account)

type Rows = Readonly<Awaited<ReturnType<ReturnType<typeof rowsOf>['execute']>>>

/** By the key of a row that another program wrote: the other row could undo what an operator sets. */
const twoOfOnePath = Row.notWrittenByCanopy('settings.path_sha256')

type SettingsMap = Map<StoragePath.StoragePath, Visibility.Visibility>

/** All rows or none: settings with a gap would show hidden nodes. */
const addRows = (map: SettingsMap, rows: Rows): E.Either<Failure.External, SettingsMap> => {
  const before = map.size
  for (const row of rows) {
    const decoded = Row.decodeSetting(row)
    if (E.isLeft(decoded)) return decoded
    map.set(decoded.right.path, decoded.right.visibility)
  }
  return map.size < before + rows.length ? E.left(twoOfOnePath) : E.right(map)
}

const settingsIn = (rows: Rows): Read => pipe(addRows(new Map(), rows), E.map(Settings.fromMap))

/** In one query. Rejects if the rows cannot be read; `left` if they do not decode. */
export const readSettings = async (db: Kysely<Schema>, account: string): Promise<Read> =>
  settingsIn(await rowsOf(db, account).execute())

/** In batches: an area may have a million settings, and PostgreSQL cancels a statement that takes too long. */
const readInBatches = ({ snapshot }: ReadDatabase, account: string): Promise<Read> =>
  snapshot(async (db) => {
    const map: SettingsMap = new Map()
    for await (const rows of batchesOf(rowsOf(db, account))) {
      const added = addRows(map, rows)
      if (E.isLeft(added)) return added
    }
    return E.right(Settings.fromMap(map))
  })

/**
 * Settings are read again only when their version is another one, which is asked for before them: at the worst they are
 * newer, and read once more. An account that has none takes the same steps as any other with few.
 */
export const settingsOf = (database: ReadDatabase): Registry['settingsOf'] => {
  const { db, version } = database
  const flight = singleFlight<Read>()
  const readMany = (account: string): Promise<Read> => flight(account, () => readInBatches(database, account))
  const read = async (account: string): Promise<Read> => {
    const rows = await rowsOf(db, account).limit(rowsOfABatch).execute()
    return rows.length < rowsOfABatch ? settingsIn(rows) : readMany(account)
  }
  const readerOf = cached(
    version,
    (account) => db.selectFrom('settings_versions').select('version').where('account', '=', account).execute(),
    // The same value while the version stays the same: who reads for it has the settings, also those that do not decode.
    (_, account): (() => Promise<Read>) => {
      let reading: Promise<Read> | undefined
      return () => {
        reading ??= read(account).catch((cause: unknown) => {
          reading = undefined
          return Promise.reject(cause)
        })
        return reading
      }
    },
  )
  return (owner) => answering(async () => (await readerOf(Row.padded(owner)))())
}
