import { onceFor, type SettingsOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { decodeSettings } from '../rows/SettingRow.js'
import { byKey } from './byKey.js'

const settingsIn = onceFor(decodeSettings)

export const settingsOf = (database: ReadDatabase): SettingsOfEnv['settingsOf'] => {
  const find = byKey(database, (db, account) =>
    db.selectFrom('settings').select(['path', 'visibility']).where('account', '=', account),
  )
  return (owner) => pipe(find(PaddedU64.encode(owner)), TE.flatMapEither(settingsIn))
}
