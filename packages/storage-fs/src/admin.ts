// For the admin app alone.
export {
  type AreaNotCreatable,
  type CreatedArea,
  checkArea,
  createArea,
  makeDirectory,
} from './admin/createArea.js'
export { type AreaFinding, escapedName, inspectArea, type Trouble } from './admin/inspectArea.js'
export { areaDirectory, isMountPoint } from './resolve/areas.js'
export { errnoOf, hintOn } from './resolve/errno.js'
export { allForeignMounts, holdsMount } from './resolve/mounts.js'
