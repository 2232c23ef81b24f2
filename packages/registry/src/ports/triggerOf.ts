import { Failure, type TriggerOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { hasExpired, type Now } from '../Now.js'
import * as TriggerRow from '../rows/TriggerRow.js'
import type { Schema } from '../Schema.js'
import { byKey } from './byKey.js'

export const triggerOf = (db: Kysely<Schema>, now: Now): TriggerOfEnv['triggerOf'] => {
  const find = byKey(db, (id) => db.selectFrom('triggers').select(['value', 'expires']).where('id', '=', id))
  return (id) =>
    pipe(
      find(id),
      TE.map(RA.head),
      TE.flatMap(TE.fromOption(() => Failure.triggerNotFound)),
      TE.flatMapEither(TriggerRow.decode),
      TE.filterOrElseW(
        ({ expires }) => !hasExpired(now, expires),
        () => Failure.triggerNotFound,
      ),
      TE.map(({ value }) => value),
    )
}
