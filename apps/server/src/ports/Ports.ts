import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv, TriggerOfEnv } from '@canopy/domain'

/** Everything the five operations need. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv
