import { type Failure, StoragePath, Visibility } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeRow } from './decodeRow.js'

export interface SettingRow {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
}

const codec: t.Type<SettingRow, unknown, unknown> = t.type({ path: StoragePath.codec, visibility: Visibility.codec })

/** All of them or none: settings with a gap would show what was hidden. */
export const decodeSettings: (rows: ReadonlyArray<unknown>) => E.Either<Failure.External, ReadonlyArray<SettingRow>> =
  E.traverseArray(decodeRow('settings', codec))
