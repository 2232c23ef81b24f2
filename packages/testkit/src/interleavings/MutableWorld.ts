import { isDeepStrictEqual } from 'node:util'
import type { Area, Settings } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { locationOf, memoryRegistry, memoryStorage, type Ports, type World, type WorldAccount } from '../World.js'

/** Ports over a world that changes between two calls. */
export interface MutableWorld {
  readonly ports: Ports
  readonly become: (world: World) => void
}

/** Returns the first of equal values, as a registry does that caches its rows. */
const intern = <A>(): ((value: A) => A) => {
  const known: Array<A> = []
  return (value) => {
    const same = known.find((each) => isDeepStrictEqual(each, value))
    if (same === undefined) known.push(value)
    return same ?? value
  }
}

/** Memory ports. When an area moves, its old location keeps its content. */
export const mutableMemory =
  (options: { readonly pageEntries?: number | undefined } = {}) =>
  (first: World): MutableWorld => {
    const areas = new Map<Area.AreaLocation, WorldAccount['area']>()
    let registry = memoryRegistry(first)
    const become = (world: World): void => {
      for (const account of world.accounts) areas.set(locationOf(account), account.area)
      registry = memoryRegistry(world)
    }
    become(first)
    const [areaOf, settingsOf] = [intern<Area.Area>(), intern<Settings.Settings>()]
    const grantOf = (grant: Area.Grant): Area.Grant => ({ ...grant, area: areaOf(grant.area) })
    const ports: Ports = {
      ...memoryStorage(({ location }) => areas.get(location) ?? 'missing', options),
      areaOfToken: (token) => () => TE.map(grantOf)(registry.areaOfToken(token))(),
      areaOfUser: (user) => () => TE.map(areaOf)(registry.areaOfUser(user))(),
      settingsOf: (owner) => () => TE.map(settingsOf)(registry.settingsOf(owner))(),
      triggerOf: (id) => () => registry.triggerOf(id)(),
    }
    return { ports, become }
  }
