import { memoryPorts, type Ports, type World } from '@canopy/testkit'
import { keepAliveConnection } from './keepAliveConnection.js'
import type { RawBackend } from './nonInterference.js'

interface SwappedWorld {
  readonly ports: Ports
  readonly swap: (world: World) => void
}

const swappedWorld = (portsOf: (world: World) => Ports): SwappedWorld => {
  let current = portsOf({ accounts: [], triggers: [] })
  return {
    ports: {
      areaOfToken: (token) => current.areaOfToken(token),
      areaOfUser: (user) => current.areaOfUser(user),
      settingsOf: (owner) => current.settingsOf(owner),
      triggerOf: (id) => current.triggerOf(id),
      nodeAt: (area, path) => current.nodeAt(area, path),
      list: (...asked) => current.list(...asked),
    },
    swap: (world) => {
      current = portsOf(world)
    },
  }
}

interface Serving {
  readonly port: number
  readonly stop: () => Promise<unknown>
}

/** One service and one connection for many worlds, one after the other. */
export interface SwappedBackend {
  readonly backend: RawBackend
  readonly port: number
  readonly swap: (world: World) => void
  readonly close: () => Promise<void>
}

export const swappedBackend = async (
  name: string,
  serve: (ports: Ports) => Promise<Serving>,
  portsOf: (world: World) => Ports = memoryPorts,
): Promise<SwappedBackend> => {
  const { ports, swap } = swappedWorld(portsOf)
  const { port, stop } = await serve(ports)
  const connection = await keepAliveConnection(port)
  return {
    backend: {
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
