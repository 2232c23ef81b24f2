import type { Migration } from 'kysely'
import type { MigrationName } from '../../Schema.js'
import * as accounts from './0001_accounts.js'
import * as tokens from './0002_tokens.js'
import * as settings from './0003_settings.js'
import * as triggers from './0004_triggers.js'
import * as settingsVersions from './0005_settings_versions.js'
import * as areas from './0006_areas.js'

export const migrations: Record<MigrationName, Migration> = {
  '0001_accounts': accounts,
  '0002_tokens': tokens,
  '0003_settings': settings,
  '0004_triggers': triggers,
  '0005_settings_versions': settingsVersions,
  '0006_areas': areas,
}
