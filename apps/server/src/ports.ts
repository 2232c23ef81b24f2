import type {
  AreaOfTokenEnv,
  AreaOfUserEnv,
  Failure,
  ListEnv,
  NodeAtEnv,
  OpenFileEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** The ports of the five operations. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv

/** The ports of operations and files. */
export type AllPorts = Ports & OpenFileEnv

/** A storage may lack the port of files. */
export type ServicePorts = Ports & Partial<OpenFileEnv>

/** A call of a port as a value. */
export type PortCall = {
  readonly [Port in keyof AllPorts]: { readonly port: Port; readonly args: Parameters<AllPorts[Port]> }
}[keyof AllPorts]

/** The result of any port. */
export type PortResult = TE.TaskEither<Failure.Failure, object>

/** Returns a task that only calls the port, each time it runs. */
export const runCall =
  (ports: ServicePorts, { port, args }: PortCall): PortResult =>
  () =>
    (ports[port] as (...args: PortCall['args']) => PortResult)(...args)()
