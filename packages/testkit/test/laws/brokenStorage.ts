import { Area, type UserId } from '@canopy/domain'
import { memoryStorage } from '../../src/memoryPorts.js'
import { type ChangingStorage, type SeedStorage, type StoragePorts, withNode } from '../../src/World.js'

export type Break = (ports: StoragePorts) => StoragePorts

/** The reference storage, which fulfils every law unless it is broken. */
export const seedBroken =
  (broken: Break = (ports) => ports, pageEntries?: number): SeedStorage<ChangingStorage> =>
  async (nodes, otherNodes) => {
    let now = nodes
    return {
      ports: broken(memoryStorage(({ location }) => (location === 'one' ? now : otherNodes), { pageEntries })),
      area: { owner: 1n as UserId.UserId, location: Area.location('one') },
      other: { owner: 2n as UserId.UserId, location: Area.location('other') },
      change: async (path, node) => {
        if (now !== 'missing') now = withNode(now, path, node)
      },
      close: async () => undefined,
    }
  }
