import { Area, type UserId } from '@canopy/domain'
import { memoryPorts, memoryRegistry, memoryStorage } from '@canopy/testkit'
import type { Subjects } from './Subjects.js'

const close = async (): Promise<void> => undefined

/** The reference implementation. */
export const memorySubjects: Subjects = {
  name: 'memory',
  holdsEveryU64: true,
  plantStorage: async (nodes) => ({
    area: { owner: 1n as UserId.UserId, location: Area.location('1') },
    ports: memoryStorage(() => nodes),
    close,
  }),
  plantRegistry: async (world) => ({ ports: memoryRegistry(world), close }),
  plantWorld: async (world) => ({ ports: memoryPorts(world), close }),
  close,
}
