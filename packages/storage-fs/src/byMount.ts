import type { StoragePorts } from './fsStorage.js'
import type { ForeignMountOf } from './resolve/areas.js'

/** Sends a call to `foreign` if its path is on a network or FUSE mount, and to `local` otherwise. */
export const byMount = (mountOf: ForeignMountOf, local: StoragePorts, foreign: StoragePorts): StoragePorts => {
  const portsAt = (...at: Parameters<ForeignMountOf>) => (mountOf(...at) === undefined ? local : foreign)
  return {
    nodeAt: (area, path, options) => () => portsAt(area, path).nodeAt(area, path, options)(),
    list: (area, path, options) => () => portsAt(area, path).list(area, path, options)(),
    openFile: (area, path, options) => () => portsAt(area, path).openFile(area, path, options)(),
  }
}
