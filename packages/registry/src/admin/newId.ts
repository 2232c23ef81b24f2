import { U64, UserId } from '@canopy/domain'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Schema } from '../Schema.js'
import type { Refusal } from './RegistryWriter.js'

type NotGiven = Extract<Refusal, { readonly error: 'account exists' | 'no free account id' | 'external' }>

const ids = (db: Kysely<Schema>) => db.selectFrom('accounts').select('id')

const unused =
  (db: Kysely<Schema>) =>
  (id: UserId.UserId): TE.TaskEither<NotGiven, UserId.UserId> =>
    pipe(
      attempt(() => ids(db).where('id', '=', PaddedU64.encode(id)).execute()),
      TE.filterOrElse(RA.isEmpty, (): NotGiven => ({ error: 'account exists', id })),
      TE.map(() => id),
    )

const above = (largest: string): O.Option<UserId.UserId> =>
  pipe(U64.fromBigInt(BigInt(largest) + 1n), O.filter(UserId.is))

const next = (db: Kysely<Schema>): TE.TaskEither<NotGiven, UserId.UserId> =>
  pipe(
    attempt(() => ids(db).orderBy('id', 'desc').limit(1).execute()),
    TE.map(
      flow(
        RA.head,
        O.match(
          () => '0',
          ({ id }) => id,
        ),
      ),
    ),
    TE.flatMap((largest) =>
      pipe(
        above(largest),
        TE.fromOption((): NotGiven => ({ error: 'no free account id' })),
      ),
    ),
  )

/** The id asked for, if it is free; else the number above every id in use, 1 at first. Sure only inside a transaction. */
export const newId = (db: Kysely<Schema>, asked: O.Option<UserId.UserId>): TE.TaskEither<NotGiven, UserId.UserId> =>
  pipe(
    asked,
    O.match(() => next(db), unused(db)),
  )
