import type { Area } from '@canopy/domain'
import type * as O from 'fp-ts/lib/Option.js'
import type { AreaRoot, Notices } from './Notices.js'

/** What stands at the root of an area, looked up once for all who waited in the same round. */
export const rootsSeen = (notices: Notices) => {
  const seen = new WeakMap<Promise<void>, Map<Area.AreaLocation, O.Option<AreaRoot>>>()

  return (round: Promise<void>, area: Area.Area): O.Option<AreaRoot> => {
    const inRound = seen.get(round) ?? new Map<Area.AreaLocation, O.Option<AreaRoot>>()
    seen.set(round, inRound)
    const known = inRound.get(area.location)
    if (known !== undefined) return known
    const root = notices.root(area)
    inRound.set(area.location, root)
    return root
  }
}
