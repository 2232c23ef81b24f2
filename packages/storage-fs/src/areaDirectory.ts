import { resolve } from 'node:path'
import type { Area } from '@canopy/domain'
import type { StorageRoot } from './StorageRoot.js'

/** The absolute path of an area's directory: its location, relative to the storage root unless it is absolute. */
export const areaDirectory = (root: StorageRoot, location: Area.AreaLocation): string => resolve(root, location)
