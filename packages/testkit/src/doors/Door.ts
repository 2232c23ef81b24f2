import type { Ask } from '../Ask.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { World } from '../World.js'

/** A way to ask questions of a world: the domain over some adapters, or a service over HTTP. */
export interface Door {
  readonly name: string
  /** False when sizes above 2^44 or times above 2^33 cannot be planted behind it, as on most disks. */
  readonly holdsEveryU64: boolean
  /** Plants a fresh copy of the world. */
  readonly open: (world: World) => Promise<OpenDoor>
}

export interface OpenDoor {
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly close: () => Promise<void>
}
