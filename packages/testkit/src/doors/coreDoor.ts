import type { Planted, Ports } from '../laws/Subject.js'
import type { World } from '../World.js'
import type { Door } from './Door.js'
import { askInProcess } from './inProcess.js'

/**
 * The domain itself over some adapters, without HTTP.
 *
 * @param name how reports call it
 * @param holdsEveryU64 see {@link Door}: `true` for a storage that keeps sizes and times of any u64, as a database does
 * @param plant makes a fresh copy of a world each time, and ports over it; its `close` removes what it made
 */
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
