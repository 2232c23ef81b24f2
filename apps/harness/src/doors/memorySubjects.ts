import { Area, type UserId } from '@canopy/domain'
import { memoryPorts, memoryRegistry, memoryStorage } from '@canopy/testkit'
import type { Subjects } from './Subjects.js'

const close = async (): Promise<void> => undefined

/** The reference implementation. */
export const memorySubjects: Subjects = {
  name: 'memory',
  holdsEveryU64: true,
  holdsFaults: true,
  plantStorage: async (nodes, otherNodes) => ({
    area: { owner: 1n as UserId.UserId, location: Area.location('1') },
    other: { owner: 2n as UserId.UserId, location: Area.location('2') },
    ports: memoryStorage(({ location }) => (location === '1' ? nodes : otherNodes)),
    close,
  }),
  plantRegistry: async (world) => ({ ports: memoryRegistry(world), close }),
  plantWorld: async (world) => ({ ports: memoryPorts(world), close }),
  close,
}
