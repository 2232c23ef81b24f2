import type { Settings, StoragePath } from '@canopy/domain'
import type { WorldAccount } from './World.js'

/** The settings of an account as the domain holds them. */
export const settingsMap = ({ settings }: WorldAccount): Settings.Settings =>
  new Map(settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]))
