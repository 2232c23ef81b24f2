import type { Ask } from '../Ask.js'
import type { WorldBounds } from '../arbitraries/worldNodes.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { World } from '../World.js'

/** What most disks can hold: sizes in bytes, times in seconds since 1970. */
export const diskBounds: WorldBounds = { maxSize: 2n ** 43n, maxTime: 2n ** 33n }

/** A way to ask questions of a world: the domain over some adapters, or a service over HTTP. */
export interface Door {
  readonly name: string
  /** False when only what {@link diskBounds} allow can be planted behind it. */
  readonly holdsEveryU64: boolean
  /** Plants a fresh copy of the world. */
  readonly open: (world: World) => Promise<OpenDoor>
}

export interface OpenDoor {
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly close: () => Promise<void>
}
