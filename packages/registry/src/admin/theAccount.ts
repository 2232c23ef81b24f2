import type { UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely, Selectable } from 'kysely'
import { attempt } from '../attempt.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { AccountsTable, Schema } from '../Schema.js'
import type { Refused } from './RegistryWriter.js'

const noSuchAccount = (id: UserId.UserId): Refused<'no such account'> => ({ error: 'no such account', id })

/** The row of an account, or the refusal. */
export const theAccount = (
  db: Kysely<Schema>,
  id: UserId.UserId,
): TE.TaskEither<Refused<'no such account' | 'external'>, Selectable<AccountsTable>> =>
  pipe(
    attempt(() => db.selectFrom('accounts').selectAll().where('id', '=', PaddedU64.encode(id)).execute()),
    TE.map(RA.head),
    TE.flatMap(TE.fromOption((): Refused<'no such account' | 'external'> => noSuchAccount(id))),
  )
