import type { Ports } from '../laws/Subject.js'
import type { World } from '../World.js'

/** Ports whose world is swapped behind a service that goes on running. */
interface SwappedWorld {
  readonly ports: Ports
  readonly swap: (world: World) => void
}

export const swappedWorld = (portsOf: (world: World) => Ports): SwappedWorld => {
  let current = portsOf({ accounts: [], triggers: [] })
  return {
    ports: {
      areaOfToken: (token) => current.areaOfToken(token),
      areaOfUser: (user) => current.areaOfUser(user),
      settingsOf: (owner) => current.settingsOf(owner),
      triggerOf: (id) => current.triggerOf(id),
      nodeAt: (area, path) => current.nodeAt(area, path),
      list: (area, path) => current.list(area, path),
    },
    swap: (world) => {
      current = portsOf(world)
    },
  }
}
