// What only the admin app may do with the storage: make the directory of an area, and look for trouble in it.
export { areaDirectory, foreignMountsOf, isMountPoint } from '../areas.js'
export { adviceOn, errnoOf } from '../decode.js'
export { type AreaNotCreatable, type CreatedArea, createArea, makeDirectory } from './createArea.js'
export { type AreaFinding, inspectArea, type Trouble } from './inspectArea.js'
