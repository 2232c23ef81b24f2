import { isDeepStrictEqual } from 'node:util'
import type { Area } from '@canopy/domain'
import { locationOf, memoryRegistry, memoryStorage, type Ports, type World, type WorldAccount } from '../World.js'

/** Memory ports over a world that may change between two calls. A moved area keeps its content at the old location. */
export const mutableMemory =
  (options: { readonly pageEntries?: number | undefined } = {}) =>
  (current: () => World): Ports => {
    const areas = new Map<Area.AreaLocation, WorldAccount['area']>()
    let world: World = { accounts: [], triggers: [] }
    let registry = memoryRegistry(world)
    const read = () => {
      const next = current()
      if (next === world) return { areas, registry }
      for (const account of next.accounts) areas.set(locationOf(account), account.area)
      // Equal rows give the same values, as in a registry that caches them.
      if (!isDeepStrictEqual(rowsOf(next), rowsOf(world))) registry = memoryRegistry(next)
      world = next
      return { areas, registry }
    }
    return {
      ...memoryStorage(({ location }) => read().areas.get(location) ?? 'missing', options),
      areaOfToken: (token) => () => read().registry.areaOfToken(token)(),
      areaOfUser: (user) => () => read().registry.areaOfUser(user)(),
      settingsOf: (owner) => () => read().registry.settingsOf(owner)(),
      triggerOf: (id) => () => read().registry.triggerOf(id)(),
    }
  }

const rowsOf = ({ accounts, triggers }: World) => [accounts.map((account) => ({ ...account, area: [] })), triggers]
