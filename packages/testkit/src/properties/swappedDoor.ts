import type { Ports } from '../laws/Subject.js'
import { memoryPorts } from '../memory/memoryPorts.js'
import type { World } from '../World.js'
import { keptConnection } from './keptConnection.js'
import type { RawDoor } from './RawDoor.js'
import { swappedWorld } from './swappedWorld.js'

interface Serving {
  readonly port: number
  readonly stop: () => Promise<unknown>
}

/** One service and one connection for any number of worlds, one after the other: cheap enough for very many. */
export interface SwappedDoor {
  readonly door: RawDoor
  readonly port: number
  readonly swap: (world: World) => void
  readonly close: () => Promise<void>
}

/** `serve` starts the service over these ports on a port of this machine. */
export const swappedDoor = async (
  name: string,
  serve: (ports: Ports) => Promise<Serving>,
  portsOf: (world: World) => Ports = memoryPorts,
): Promise<SwappedDoor> => {
  const { ports, swap } = swappedWorld(portsOf)
  const { port, stop } = await serve(ports)
  const connection = await keptConnection(port)
  return {
    door: {
      name,
      open: async (world) => {
        swap(world)
        return { send: connection.send, close: async () => undefined }
      },
    },
    port,
    swap,
    close: async () => {
      connection.close()
      await stop()
    },
  }
}
