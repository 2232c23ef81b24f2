import * as O from 'fp-ts/lib/Option.js'
import * as StoragePath from './StoragePath.js'
import * as Visibility from './Visibility.js'

/**
 * The visibilities set explicitly in one area. A setting belongs to a path, not to a node: it may be made before the
 * node exists, and outlives it.
 */
export type Settings = ReadonlyMap<StoragePath.StoragePath, Visibility.Visibility>

/** Nothing is set: the whole area is private. */
export const none: Settings = new Map()

/** What an area has where nothing is set: only its owner sees it. */
const areaDefault: Visibility.NodeVisibility = Visibility.own('private')

/** What is set at the path itself; `none` when it inherits, or has the area's default. */
export const ownAt = (settings: Settings, path: StoragePath.StoragePath): O.Option<Visibility.Visibility> =>
  O.fromNullable(settings.get(path))

/**
 * The effective visibility of a path, `eff(p)`: its own setting, or that of the nearest ancestor which has one, or the area's
 * default. Total: it needs no node. The root has nothing to inherit from, so its visibility is never inherited.
 */
export const visibilityAt = (settings: Settings, path: StoragePath.StoragePath): Visibility.NodeVisibility => {
  const own = settings.get(path)
  if (own !== undefined) return Visibility.own(own)
  const parent = O.toUndefined(StoragePath.parent(path))
  return parent === undefined ? areaDefault : Visibility.inherit(visibilityAt(settings, parent))
}
