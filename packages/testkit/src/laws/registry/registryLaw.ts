import type { World } from '../../World.js'
import { all } from '../Claim.js'
import type { Law } from '../Law.js'
import type { PlantRegistry } from '../Subject.js'
import type { RegistryClaim } from './RegistryClaim.js'

const throwing = (thrown: unknown): ReadonlyArray<string> => [`a port must not throw ${String(thrown)}`]

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
      return await all(claims.map(notThrown))(ports)
    } finally {
      await close()
    }
  },
})
