import { type Area, onceFor } from '@canopy/domain'
import type * as O from 'fp-ts/lib/Option.js'
import type { AreaRoot, Notices } from './Notices.js'

/** What stands at the root of an area, looked up once for all who waited in the same round. */
export const rootsSeen = (notices: Notices) => {
  const seenIn = onceFor<Promise<void>, Map<string, O.Option<AreaRoot>>>(() => new Map())

  return (round: Promise<void>, area: Area.Area): O.Option<AreaRoot> => {
    const seen = seenIn(round)
    // Two accounts may have one directory, and only one of them be bound to what is mounted there.
    const key = area.isMountPoint === true ? `\0${area.location}` : area.location
    const known = seen.get(key)
    if (known !== undefined) return known
    const root = notices.root(area)
    seen.set(key, root)
    return root
  }
}
