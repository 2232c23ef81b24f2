import type { SettingsOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { decodeSettings } from '../rows/SettingRow.js'
import type { Schema } from '../Schema.js'
import { byKey } from './byKey.js'

export const settingsOf = (db: Kysely<Schema>): SettingsOfEnv['settingsOf'] => {
  const find = byKey(db, (account) =>
    db.selectFrom('settings').select(['path', 'visibility']).where('account', '=', account),
  )
  return (owner) => pipe(find(PaddedU64.encode(owner)), TE.flatMapEither(decodeSettings))
}
