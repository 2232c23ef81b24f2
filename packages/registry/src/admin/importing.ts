import type { UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Kysely } from 'kysely'
import { answering } from '../Database.js'
import * as Row from '../rows.js'
import type { Schema } from '../Schema.js'
import type { RegistryWriter } from './RegistryWriter.js'
import { inTransaction } from './tables.js'

/** SQLite takes 32,766 parameters at a time. */
const inBatches = async <A>(
  all: ReadonlyArray<A>,
  run: (batch: ReadonlyArray<A>) => Promise<unknown>,
): Promise<void> => {
  for (const batch of RA.chunksOf(1_000)(all)) await run(batch)
}

export const taken =
  (db: Kysely<Schema>): RegistryWriter['taken'] =>
  (ids) =>
    answering(async () => {
      const accounts = new Set<UserId.UserId>()
      const triggers = new Set<(typeof ids.triggers)[number]>()
      await inBatches(ids.accounts, async (batch) => {
        const rows = db.selectFrom('accounts').select('id').where('id', 'in', batch.map(Row.padded))
        for (const { id } of await rows.execute()) accounts.add(BigInt(id) as UserId.UserId)
      })
      await inBatches(ids.triggers, async (batch) => {
        const rows = db.selectFrom('triggers').select('id').where('id', 'in', batch)
        for (const { id } of await rows.execute()) triggers.add(id as (typeof batch)[number])
      })
      return E.right({ accounts, triggers })
    })

export const addAll =
  (db: Kysely<Schema>): RegistryWriter['addAll'] =>
  ({ accounts, tokens, settings, triggers }) =>
    inTransaction(db, async (tx) => {
      await inBatches(accounts, (batch) => tx.insertInto('accounts').values(batch.map(Row.accountRow)).execute())
      await inBatches(tokens, (batch) => tx.insertInto('tokens').values(batch.map(Row.tokenRow)).execute())
      await inBatches(settings, (batch) =>
        tx
          .insertInto('settings')
          .values(
            batch.map(({ account, path, visibility }) => ({
              account: Row.padded(account),
              path_sha256: Row.sha256Hex(path),
              path,
              visibility,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['account', 'path_sha256'])
              .doUpdateSet(({ ref }) => ({ visibility: ref('excluded.visibility') })),
          )
          .execute(),
      )
      await inBatches(triggers, (batch) => tx.insertInto('triggers').values(batch.map(Row.triggerRow)).execute())
      return E.right(undefined)
    })
