import type { Area } from '@canopy/domain'
import { afterNextPoll } from '@canopy/scheduling'
import type { AreaRoot } from '../resolve/areas.js'
import type { ChangeEvents } from './changeEvents.js'
import type { Place } from './Watches.js'

/** The roots of areas, looked up once after each poll of the event loop that requests wait for. */
export class CurrentRoots {
  readonly #events: Pick<ChangeEvents, 'root'>
  readonly #roots = new Map<Area.Area, AreaRoot | undefined>()
  #poll: Promise<void> | undefined

  constructor(events: Pick<ChangeEvents, 'root'>) {
    this.#events = events
  }

  /**
   * Waits until every event that was queued before the call is delivered. Then looks up the root of the area, because no event
   * reports a mount. Calls that wait for the same poll share the look-up.
   */
  async rootAfterNextPoll(area: Area.Area): Promise<AreaRoot | undefined> {
    const poll = afterNextPoll()
    await poll
    // A root that was looked up after an earlier poll may be outdated.
    if (this.#poll !== poll) this.#roots.clear()
    this.#poll = poll
    if (!this.#roots.has(area)) this.#roots.set(area, this.#events.root(area))
    return this.#roots.get(area)
  }

  /** Waits like `rootAfterNextPoll`, then reports whether the area still has the same root. */
  async isSameAfterNextPoll({ area, root }: Place): Promise<boolean> {
    return (await this.rootAfterNextPoll(area))?.identity === root
  }
}
