import { type AreaOfUserEnv, Failure, onceFor } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as AccountRow from '../rows/AccountRow.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { byKey } from './byKey.js'

const accountIn = onceFor((row: object) =>
  pipe(
    AccountRow.decode(row),
    E.map((account) => ({ verified: account.verified, area: AccountRow.area(account) })),
  ),
)

export const areaOfUser = (database: ReadDatabase): AreaOfUserEnv['areaOfUser'] => {
  const find = byKey(database, (db, id) =>
    db.selectFrom('accounts').select(['id', 'verified', 'location']).where('id', '=', id),
  )
  return (user) =>
    pipe(
      find(PaddedU64.encode(user)),
      TE.map(RA.head),
      TE.flatMap(TE.fromOption(() => Failure.permissionDenied)),
      TE.flatMapEither((row) => accountIn(row as object)),
      TE.filterOrElseW(
        ({ verified }) => verified,
        () => Failure.permissionDenied,
      ),
      TE.map(({ area }) => area),
    )
}
