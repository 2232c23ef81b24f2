import type { Failure } from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RefusalName } from '../Refusal.js'
import type { Ports } from './Ports.js'

interface Named {
  readonly error: RefusalName
}

/** Runs a call of a port and answers what it answers. Each run of the call asks the port anew. */
export type Around = <F extends Named, A extends object>(
  port: keyof Ports,
  call: TE.TaskEither<F | Failure.External, A>,
) => TE.TaskEither<F | Failure.External, A>

/** The same ports, every call of which runs inside `around`. */
export const aroundPorts = (ports: Ports, around: Around): Ports => ({
  areaOfToken: (token) => around('areaOfToken', () => ports.areaOfToken(token)()),
  areaOfUser: (user) => around('areaOfUser', () => ports.areaOfUser(user)()),
  settingsOf: (owner) => around('settingsOf', () => ports.settingsOf(owner)()),
  nodeAt: (area, path) => around('nodeAt', () => ports.nodeAt(area, path)()),
  list: (area, path) => around('list', () => ports.list(area, path)()),
  triggerOf: (id) => around('triggerOf', () => ports.triggerOf(id)()),
})
