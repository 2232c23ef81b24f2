import type { World } from '../../World.js'
import { all } from '../Claim.js'
import { unlessUnanswered } from '../inTime.js'
import type { Law } from '../Law.js'
import type { PlantRegistry } from '../Subject.js'
import type { RegistryClaim } from './RegistryClaim.js'
import { registryInTime } from './registryInTime.js'

const throwing = unlessUnanswered((thrown) => `a port must not throw ${String(thrown)}`)

const notThrown =
  (claim: RegistryClaim): RegistryClaim =>
  (ports) =>
    claim(ports).catch(throwing)

/** In every registry that knows this world, all these claims are so. */
export const registryLaw = (
  name: string,
  world: Partial<World>,
  claims: ReadonlyArray<RegistryClaim>,
): Law<PlantRegistry> => ({
  name,
  violations: async (plant) => {
    const { ports, close } = await plant({ accounts: [], triggers: [], ...world })
    try {
      return await all(claims.map(notThrown))(registryInTime(ports))
    } finally {
      await close()
    }
  },
})
