import type { Failure, Settings, SettingsOfEnv } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { decodeSettings } from '../rows/SettingRow.js'
import { askedOnceFor } from './askedOnceFor.js'
import { byKey } from './byKey.js'
import { compiledOnce } from './compiledOnce.js'

/**
 * Settings are read again only when their version is another one. It is asked for before them: they are at the worst
 * newer, and read once more. An account that has none takes the same steps as any other.
 */
export const settingsOf = (database: ReadDatabase): SettingsOfEnv['settingsOf'] => {
  const versionOf = byKey(database, (db, account) =>
    db.selectFrom('settings_versions').select('version').where('account', '=', account),
  )
  const rowsOf = compiledOnce(database.db, (db, account) =>
    db.selectFrom('settings').select(['path', 'visibility']).where('account', '=', account),
  )
  // Rows that are equal are the same value: while it stands, so do the settings. So do those that do not decode.
  const onceFor = askedOnceFor<Failure.External, E.Either<Failure.External, Settings.Settings>>()
  const settingsAt = (account: string) => (version: object) =>
    onceFor(version, pipe(rowsOf(account), TE.map(decodeSettings)))
  return (owner) => {
    const account = PaddedU64.encode(owner)
    return pipe(versionOf(account), TE.flatMap(settingsAt(account)), TE.flatMapEither(identity))
  }
}
