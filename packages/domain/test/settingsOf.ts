import type { WorldAccount } from '../../testkit/src/World.js'
import type { Settings } from '../src/Settings.js'
import { path } from './literals.js'

export const settingsOf = (account: WorldAccount): Settings =>
  new Map(account.settings.map((setting) => [path(setting.path), setting.visibility]))
