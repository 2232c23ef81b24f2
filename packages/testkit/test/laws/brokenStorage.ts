import { Area, type UserId } from '@canopy/domain'
import { memoryStorage } from '../../src/memoryPorts.js'
import type { SeedStorage, StoragePorts } from '../../src/World.js'

export type Break = (ports: StoragePorts) => StoragePorts

/** The reference storage, which fulfils every law unless it is broken. */
export const seedBroken =
  (broken: Break = (ports) => ports, pageEntries?: number): SeedStorage =>
  async (nodes, otherNodes) => ({
    ports: broken(memoryStorage(({ location }) => (location === 'one' ? nodes : otherNodes), { pageEntries })),
    area: { owner: 1n as UserId.UserId, location: Area.location('one') },
    other: { owner: 2n as UserId.UserId, location: Area.location('other') },
    close: async () => undefined,
  })
