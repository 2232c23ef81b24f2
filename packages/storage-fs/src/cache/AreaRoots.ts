import type { Area } from '@canopy/domain'
import { afterNextPoll } from '@canopy/scheduling'
import type { AreaRoot } from '../resolve/areas.js'
import type { ChangeEvents } from './changeEvents.js'
import type { Place } from './Reading.js'

/** The roots of areas. Calls that wait for the same poll of the event loop share a look-up. */
export class AreaRoots {
  readonly #events: ChangeEvents
  readonly #roots = new Map<Area.Area, AreaRoot | undefined>()
  /** The poll after which the roots were looked up. */
  #poll: Promise<void> | undefined

  constructor(events: ChangeEvents) {
    this.#events = events
  }

  /**
   * Waits until every event that was queued before the call is delivered. Then looks up the root of the area, because no event
   * reports a mount.
   */
  async current(area: Area.Area): Promise<AreaRoot | undefined> {
    const poll = afterNextPoll()
    await poll
    // A root that was looked up after an earlier poll may be outdated.
    if (this.#poll !== poll) this.#roots.clear()
    this.#poll = poll
    if (!this.#roots.has(area)) this.#roots.set(area, this.#events.root(area))
    return this.#roots.get(area)
  }

  async isCurrent({ area, root }: Place): Promise<boolean> {
    return (await this.current(area))?.identity === root
  }
}
