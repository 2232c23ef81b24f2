import type {
  Area,
  AreaOfTokenEnv,
  AreaOfUserEnv,
  ListEnv,
  NodeAtEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '@canopy/domain'
import type { World, WorldAccount } from '../World.js'

export type StoragePorts = NodeAtEnv & ListEnv
export type RegistryPorts = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv
export type Ports = StoragePorts & RegistryPorts

export interface Planted<P> {
  readonly ports: P
  readonly close: () => Promise<void>
}

export interface PlantedStorage extends Planted<StoragePorts> {
  readonly area: Area.Area
  /** Another area of the same ports. */
  readonly other: Area.Area
}

/** Makes two fresh areas: one holds exactly these nodes, the other exactly those. */
export type PlantStorage = (nodes: WorldAccount['area'], otherNodes: WorldAccount['area']) => Promise<PlantedStorage>

/** Makes a fresh registry that knows exactly this world; the nodes of its areas do not matter to it. */
export type PlantRegistry = (world: World) => Promise<Planted<RegistryPorts>>
