import type { Ports } from '../laws/Subject.js'
import type { World } from '../World.js'
import { memoryRegistry } from './memoryRegistry.js'
import { memoryStorage } from './memoryStorage.js'

/** Every port over one world, in memory. */
export const memoryPorts = (world: World): Ports => {
  const areas = new Map(world.accounts.map(({ id, area }) => [id, area]))
  return { ...memoryRegistry(world), ...memoryStorage(({ location }) => areas.get(location) ?? 'missing') }
}
