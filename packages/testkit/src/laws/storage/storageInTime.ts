import { inTime } from '../inTime.js'
import type { StoragePorts } from '../Subject.js'
import { saidName } from './said.js'

/** The same ports, of which each answer is waited for so long and no longer. */
export const storageInTime = (ports: StoragePorts): StoragePorts => ({
  nodeAt: (area, path) => inTime(`nodeAt ${saidName(path)}`, () => ports.nodeAt(area, path)),
  list: (area, path) => inTime(`list ${saidName(path)}`, () => ports.list(area, path)),
})
