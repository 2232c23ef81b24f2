import type {
  AreaOfTokenEnv,
  AreaOfUserEnv,
  Failure,
  ListEnv,
  NodeAtEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** Everything the five operations need. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv

type FailureOf<Port extends keyof Ports> =
  ReturnType<Ports[Port]> extends TE.TaskEither<infer F extends Failure.Failure, unknown> ? F['error'] : never

/** The failures that each port may answer with. */
export const portFailures: { readonly [Port in keyof Ports]: { readonly [Name in FailureOf<Port>]: null } } = {
  areaOfToken: { 'invalid token': null, 'not verified': null, external: null },
  areaOfUser: { 'permission denied': null, external: null },
  settingsOf: { external: null },
  nodeAt: { 'file not found': null, 'type mismatch': null, external: null },
  list: { 'file not found': null, 'type mismatch': null, external: null },
  triggerOf: { 'trigger not found': null, external: null },
}
