import type { World } from '../../World.js'
import type { Law } from '../Law.js'
import type { PlantRegistry } from '../Subject.js'
import type { Claim } from './Claim.js'

const throwing = (thrown: unknown): ReadonlyArray<string> => [`a port must not throw ${String(thrown)}`]

/** In every registry that knows this world, all these claims are so. */
export const registryLaw = (name: string, world: Partial<World>, claims: ReadonlyArray<Claim>): Law<PlantRegistry> => ({
  name,
  violations: async (plant) => {
    const { ports, close } = await plant({ accounts: [], triggers: [], ...world })
    const violations: Array<string> = []
    try {
      for (const claim of claims) violations.push(...(await claim(ports).catch(throwing)))
      return violations
    } finally {
      await close()
    }
  },
})
