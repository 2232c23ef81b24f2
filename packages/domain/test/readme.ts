import { explainVisibility, type Settings, StoragePath, type Visibility } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

const at = (path: string): StoragePath.StoragePath => {
  const parsed = StoragePath.fromString(path)
  if (O.isNone(parsed)) throw new Error(`${path} is no path`)
  return parsed.value
}

const settings: Settings.Settings = new Map<StoragePath.StoragePath, Visibility.Visibility>([
  [at('/photos'), 'public'],
  [at('/photos/2024'), 'private'],
])

/** `true` of `/photos/sea.jpg`, which inherits; `false` of `/photos/2024/sea.jpg`, and of `/diary`. */
export const isReachable = (path: string): boolean => explainVisibility(settings, at(path)).reachable
