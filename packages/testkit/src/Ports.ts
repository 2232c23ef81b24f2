import type {
  Area,
  AreaOfTokenEnv,
  AreaOfUserEnv,
  ListEnv,
  NodeAtEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '@canopy/domain'
import type { World, WorldAccount } from './World.js'

/** What a storage adapter has. */
export type StoragePorts = NodeAtEnv & ListEnv
/** What a registry adapter has. */
export type RegistryPorts = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv
/** All six, as the whole service needs them. */
export type Ports = StoragePorts & RegistryPorts

/** Ports over something that was made for one test. */
export interface Seeded<P> {
  readonly ports: P
  /** Removes it again. Called once, also when a port has thrown. */
  readonly close: () => Promise<void>
}

/** Two areas that were made for one test. */
export interface SeededStorage extends Seeded<StoragePorts> {
  /** The one that holds what was asked for first. */
  readonly area: Area.Area
  /** Another area of the same ports. */
  readonly other: Area.Area
}

/** Makes two fresh areas: one holds exactly these nodes, the other exactly those. */
export type SeedStorage = (nodes: WorldAccount['area'], otherNodes: WorldAccount['area']) => Promise<SeededStorage>

/** Makes a fresh registry that knows exactly this world; the nodes of its areas do not matter to it. */
export type SeedRegistry = (world: World) => Promise<Seeded<RegistryPorts>>
