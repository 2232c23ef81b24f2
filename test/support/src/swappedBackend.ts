import { memoryPorts, type Ports, type World } from '@canopy/testkit'
import { keepAliveConnection } from './keepAliveConnection.js'
import type { RawBackend } from './nonInterference.js'

/** One service and one connection for many worlds, one after the other. */
export const swappedBackend = async (
  name: string,
  serve: (ports: Ports) => Promise<{ readonly port: number; readonly stop: () => Promise<unknown> }>,
  portsOf: (world: World) => Ports = memoryPorts,
) => {
  let current = portsOf({ accounts: [], triggers: [] })
  const swap = (world: World): void => {
    current = portsOf(world)
  }
  const { port, stop } = await serve({
    areaOfToken: (token) => current.areaOfToken(token),
    areaOfUser: (user) => current.areaOfUser(user),
    settingsOf: (owner) => current.settingsOf(owner),
    triggerOf: (id) => current.triggerOf(id),
    nodeAt: (area, path) => current.nodeAt(area, path),
    list: (...asked) => current.list(...asked),
  })
  const connection = await keepAliveConnection(port)
  const backend: RawBackend = {
    name,
    open: async (world) => {
      swap(world)
      return { send: connection.send, close: async () => undefined }
    },
  }
  return {
    backend,
    port,
    swap,
    close: async () => {
      connection.close()
      await stop()
    },
  }
}
