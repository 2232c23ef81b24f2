import type { Planted, PlantRegistry, PlantStorage, Ports, World } from '@canopy/testkit'

/** Adapters under test, and how to make what they are asked about. */
export interface Subjects {
  readonly name: string
  /** False when sizes above 2^44 or times above 2^33 cannot be planted. */
  readonly holdsEveryU64: boolean
  /** Whether what is locked or dead can be planted. */
  readonly holdsFaults: boolean
  readonly plantStorage: PlantStorage
  readonly plantRegistry: PlantRegistry
  readonly plantWorld: (world: World) => Promise<Planted<Ports>>
  /** Removes everything that was planted. */
  readonly close: () => Promise<void>
}
