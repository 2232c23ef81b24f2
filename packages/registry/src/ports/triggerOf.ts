import { Failure, onceFor, type TriggerOfEnv } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { hasExpired, type Now } from '../Now.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as TriggerRow from '../rows/TriggerRow.js'
import { byKey } from './byKey.js'
import { flatMapEither } from './flatMapEither.js'

const triggerIn = onceFor((row: object) => TriggerRow.decode(row))

const valueIn = (now: Now) => (rows: ReadonlyArray<unknown>) =>
  pipe(
    RA.head(rows),
    E.fromOption(() => Failure.triggerNotFound),
    E.flatMap((row) => triggerIn(row as object)),
    E.filterOrElseW(
      ({ expires }) => !hasExpired(now, expires),
      () => Failure.triggerNotFound,
    ),
    E.map(({ value }) => value),
  )

export const triggerOf = (database: ReadDatabase, now: Now): TriggerOfEnv['triggerOf'] => {
  const find = byKey(database, (db, id) => db.selectFrom('triggers').select(['value', 'expires']).where('id', '=', id))
  return (id) => pipe(find(id), flatMapEither(valueIn(now)))
}
