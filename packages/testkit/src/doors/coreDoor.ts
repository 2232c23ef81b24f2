import type { Planted, Ports } from '../laws/Subject.js'
import type { World } from '../World.js'
import type { Door } from './Door.js'
import { askInProcess } from './inProcess.js'

/** The domain itself over some adapters, without HTTP. */
export const coreDoor = (
  name: string,
  holdsEveryU64: boolean,
  plant: (world: World) => Promise<Planted<Ports>>,
): Door => ({
  name,
  holdsEveryU64,
  open: async (world) => {
    const { ports, close } = await plant(world)
    return { ask: askInProcess(ports), close }
  },
})
