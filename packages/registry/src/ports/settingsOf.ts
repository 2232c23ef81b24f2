import type { Failure, Settings, SettingsOfEnv } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { askedOnceFor } from './askedOnceFor.js'
import { byKey } from './byKey.js'
import { readSettings } from './readSettings.js'

/** What SQLite and decoding take a few milliseconds for. */
const fewRows = 200

const allRows = Number.MAX_SAFE_INTEGER

/**
 * Settings are read again only when their version is another one. It is asked for before them and after: if they changed
 * meanwhile, they are read at one stretch, so that they are of one moment whatever writers do, and at the worst newer
 * than their version, and read once more. An account that has none takes the same steps as any other.
 */
export const settingsOf = (database: ReadDatabase): SettingsOfEnv['settingsOf'] => {
  const versionOf = byKey(database, (db, account) =>
    db.selectFrom('settings_versions').select('version').where('account', '=', account),
  )
  // Rows that are equal are the same value: while it stands, so do the settings. So do those that do not decode.
  const sharedFor = askedOnceFor<Failure.External, E.Either<Failure.External, Settings.Settings>>()
  const readAt = (account: string, version: object) =>
    pipe(
      readSettings(database.db, account, fewRows),
      TE.bindTo('settings'),
      TE.bind('versionAfter', () => versionOf(account)),
      TE.flatMap(({ settings, versionAfter }) =>
        versionAfter === version ? TE.right(settings) : readSettings(database.db, account, allRows),
      ),
    )
  return (owner) => async () => {
    const account = PaddedU64.encode(owner)
    const version = await versionOf(account)()
    if (E.isLeft(version)) return version
    return E.flatten(await sharedFor(version.right, () => readAt(account, version.right)())())
  }
}
