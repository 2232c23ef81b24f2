// What only the admin app may do with the storage: make the directory of an area, and look for trouble in it.
export { areaDirectory } from '../areaDirectory.js'
export { isMountPoint } from '../isMountPoint.js'
export type { AreaFinding, Trouble } from './AreaFinding.js'
export type { AreaNotCreatable } from './AreaNotCreatable.js'
export { type CreatedArea, createArea } from './createArea.js'
export { inspectArea } from './inspectArea.js'
