import { isDeepStrictEqual } from 'node:util'
import type { Area } from '@canopy/domain'
import { locationOf, memoryRegistry, memoryStorage, type Ports, type World, type WorldAccount } from '../World.js'

/** Ports over a world that changes between two calls. */
export interface MutableWorld {
  readonly ports: Ports
  readonly become: (world: World) => void
}

/** Memory ports. When an area moves, its old location keeps its content. */
export const mutableMemory =
  (options: { readonly pageEntries?: number | undefined } = {}) =>
  (first: World): MutableWorld => {
    const areas = new Map<Area.AreaLocation, WorldAccount['area']>()
    let [world, registry] = [first, memoryRegistry(first)]
    const become = (next: World): void => {
      for (const account of next.accounts) areas.set(locationOf(account), account.area)
      // Returns the same settings until the registry changes, as a registry does that caches its rows.
      if (!isDeepStrictEqual(rowsOf(next), rowsOf(world))) registry = memoryRegistry(next)
      world = next
    }
    become(first)
    const ports: Ports = {
      ...memoryStorage(({ location }) => areas.get(location) ?? 'missing', options),
      areaOfToken: (token) => () => registry.areaOfToken(token)(),
      areaOfUser: (user) => () => registry.areaOfUser(user)(),
      settingsOf: (owner) => () => registry.settingsOf(owner)(),
      triggerOf: (id) => () => registry.triggerOf(id)(),
    }
    return { ports, become }
  }

const rowsOf = ({ accounts, triggers }: World) => [accounts.map((account) => ({ ...account, area: [] })), triggers]
