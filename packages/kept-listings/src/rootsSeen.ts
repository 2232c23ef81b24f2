import type { Area } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { AreaRoot, Notices } from './Notices.js'

/**
 * What stands at the root of an area, looked up once for all who waited in the same round. Calls back when it is not
 * what stood there before: then nothing that was read below it holds.
 */
export const rootsSeen = (notices: Notices, replaced: (area: Area.Area) => void) => {
  const before = new Map<Area.AreaLocation, string>()
  const seen = new WeakMap<Promise<void>, Map<Area.AreaLocation, O.Option<AreaRoot>>>()

  const look = (area: Area.Area): O.Option<AreaRoot> => {
    const root = notices.root(area)
    const identity = O.isSome(root) ? root.value.identity : ''
    if (before.get(area.location) !== identity) replaced(area)
    before.set(area.location, identity)
    return root
  }

  return (round: Promise<void>, area: Area.Area): O.Option<AreaRoot> => {
    const inRound = seen.get(round) ?? new Map<Area.AreaLocation, O.Option<AreaRoot>>()
    seen.set(round, inRound)
    const known = inRound.get(area.location)
    if (known !== undefined) return known
    const root = look(area)
    inRound.set(area.location, root)
    return root
  }
}
