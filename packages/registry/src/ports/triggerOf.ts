import { Failure, onceFor, type TriggerOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { hasExpired, type Now } from '../Now.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as TriggerRow from '../rows/TriggerRow.js'
import { byKey } from './byKey.js'

const triggerIn = onceFor((row: object) => TriggerRow.decode(row))

export const triggerOf = (database: ReadDatabase, now: Now): TriggerOfEnv['triggerOf'] => {
  const find = byKey(database, (db, id) => db.selectFrom('triggers').select(['value', 'expires']).where('id', '=', id))
  return (id) =>
    pipe(
      find(id),
      TE.map(RA.head),
      TE.flatMap(TE.fromOption(() => Failure.triggerNotFound)),
      TE.flatMapEither((row) => triggerIn(row as object)),
      TE.filterOrElseW(
        ({ expires }) => !hasExpired(now, expires),
        () => Failure.triggerNotFound,
      ),
      TE.map(({ value }) => value),
    )
}
