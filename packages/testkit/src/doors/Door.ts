import type { Ask } from '../Ask.js'
import type { WorldBounds } from '../arbitraries/worldNodes.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { World } from '../World.js'

/** What most disks can hold: sizes in bytes, times in seconds since 1970. */
export const diskBounds: WorldBounds = { maxSize: 2n ** 43n, maxTime: 2n ** 33n }

/** A way to ask questions of a world: the domain over some adapters, or a service over HTTP. */
export interface Door {
  /** How reports call it. */
  readonly name: string
  /**
   * False when only what {@link diskBounds} allow can be planted behind it: then ask no scenario that is `memoryOnly`.
   */
  readonly holdsEveryU64: boolean
  /** Plants a fresh copy of the world. */
  readonly open: (world: World) => Promise<OpenDoor>
}

/** One world behind a door. */
export interface OpenDoor {
  /** The body of a success to the byte, or the name of a failure. */
  readonly ask: (ask: Ask) => Promise<Answer>
  /** Removes what was planted. */
  readonly close: () => Promise<void>
}
