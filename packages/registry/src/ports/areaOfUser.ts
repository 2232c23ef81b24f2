import { type AreaOfUserEnv, Failure, onceFor } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as AccountRow from '../rows/AccountRow.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { byKey } from './byKey.js'
import { flatMapEither } from './flatMapEither.js'

/** One step for all, so that an account which is not there costs what one costs that is not verified. */
const areaIn = onceFor((rows: ReadonlyArray<unknown>) =>
  pipe(
    RA.head(rows),
    E.fromOption(() => Failure.permissionDenied),
    E.flatMap(AccountRow.decode),
    E.filterOrElseW(
      ({ verified }) => verified,
      () => Failure.permissionDenied,
    ),
    E.map(AccountRow.area),
  ),
)

export const areaOfUser = (database: ReadDatabase): AreaOfUserEnv['areaOfUser'] => {
  const find = byKey(database, (db, id) =>
    db.selectFrom('accounts').select(['id', 'verified', 'location', 'mount_point']).where('id', '=', id),
  )
  return (user) => pipe(find(PaddedU64.encode(user)), flatMapEither(areaIn))
}
