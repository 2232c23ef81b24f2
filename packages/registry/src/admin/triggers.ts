import { Name, TriggerId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import { decodeRow } from '../rows/decodeRow.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import * as TriggerRow from '../rows/TriggerRow.js'
import type { Schema, TriggersTable } from '../Schema.js'
import { inTransaction } from './inTransaction.js'
import type { BrokenTrigger, Refused, RegistryWriter, StoredTrigger, TriggerRecord } from './RegistryWriter.js'

const idOf = decodeRow('triggers', t.type({ id: TriggerId.codec }))

const stored = (row: TriggersTable): StoredTrigger =>
  pipe(
    idOf(row),
    E.flatMap(({ id }) =>
      pipe(
        TriggerRow.decode(row),
        E.map(({ value, expires }) => ({ id, value, expires })),
      ),
    ),
    E.mapLeft(({ cause }): BrokenTrigger => ({ id: row.id, cause })),
  )

// Sorted here, since the collation of a database may be any.
const byId = Ord.contramap((trigger: StoredTrigger) => E.toUnion(trigger).id)(Name.byBytes)

const find = (db: Kysely<Schema>, id: TriggerId.TriggerId) =>
  attempt(() => db.selectFrom('triggers').select('id').where('id', '=', id).execute())

const insert = (db: Kysely<Schema>, { id, value, expires }: TriggerRecord) =>
  attempt(() =>
    db
      .insertInto('triggers')
      .values({ id, value: value.json, expires: O.toNullable(O.map(PaddedU64.encode)(expires)) })
      .execute(),
  )

export const triggers = (db: Kysely<Schema>): RegistryWriter['triggers'] => ({
  create: (trigger) =>
    inTransaction(db)((transaction) =>
      pipe(
        find(transaction, trigger.id),
        TE.filterOrElseW(
          RA.isEmpty,
          (): Refused<'trigger exists' | 'external'> => ({
            error: 'trigger exists',
            id: trigger.id,
          }),
        ),
        TE.flatMap(() => insert(transaction, trigger)),
        TE.map(() => trigger),
      ),
    ),
  all: pipe(
    attempt(() => db.selectFrom('triggers').selectAll().execute()),
    TE.map(RA.map(stored)),
    TE.map(RA.sort(byId)),
  ),
  delete: (id) =>
    inTransaction(db)((transaction) =>
      pipe(
        attempt(() => transaction.deleteFrom('triggers').where('id', '=', id).returningAll().execute()),
        TE.map(RA.head),
        TE.flatMap(TE.fromOption((): Refused<'no such trigger' | 'external'> => ({ error: 'no such trigger', id }))),
        TE.map(stored),
      ),
    ),
})
