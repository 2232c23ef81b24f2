import type { WorldAccount } from '../../World.js'
import { all } from '../Claim.js'
import type { Law } from '../Law.js'
import type { PlantStorage } from '../Subject.js'
import type { StorageClaim } from './StorageClaim.js'
import { storageInTime } from './storageInTime.js'

/** In every area that holds these nodes, beside another one, all these claims are so. */
export const storageLaw = (
  name: string,
  nodes: WorldAccount['area'],
  claims: ReadonlyArray<StorageClaim>,
  otherNodes: WorldAccount['area'] = [],
): Law<PlantStorage> => ({
  name,
  violations: async (plant) => {
    const planted = await plant(nodes, otherNodes)
    try {
      return await all(claims)({ ...planted, ports: storageInTime(planted.ports) })
    } finally {
      await planted.close()
    }
  },
})
