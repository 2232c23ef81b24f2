import { type Around, aroundPorts } from '../../ports/aroundPorts.js'
import type { Ports } from '../../ports/Ports.js'

/** The ports as one request asks them: each call inside its span, when it has one. */
export const tracedPorts = <Env extends Ports>(env: Env, aroundPort: Around | undefined): Env =>
  aroundPort === undefined ? env : { ...env, ...aroundPorts(env, aroundPort) }
