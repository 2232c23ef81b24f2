import type {
  AreaOfTokenEnv,
  AreaOfUserEnv,
  ListEnv,
  NodeAtEnv,
  OpenFileEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '@canopy/domain'

/** The ports of the five operations. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv

/** The ports of operations and files. */
export type AllPorts = Ports & OpenFileEnv

/** A storage may lack the port of files. */
export type ServicePorts = Ports & Partial<OpenFileEnv>
