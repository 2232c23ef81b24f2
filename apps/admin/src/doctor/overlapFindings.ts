import type { Account } from '@canopy/registry/admin'
import * as O from 'fp-ts/lib/Option.js'
import * as AreaMap from '../AreaMap.js'
import type { Finding } from './Finding.js'

/** Each pair once: with the area that holds the other, or, when they are the same, with the smaller id. */
const once = ({ id }: Account, overlaps: AreaMap.Overlaps): AreaMap.Overlaps => ({
  ...overlaps,
  same: overlaps.same.filter((other) => other > id),
  liesIn: [],
})

/** One directory may be meant to be seen in two ways, so it needs no attention. */
export const overlapFindings =
  (map: AreaMap.AreaMap) =>
  (account: Account): ReadonlyArray<Finding> => {
    const words = AreaMap.inWords(once(account, AreaMap.overlapsOf(map, account.id)))
    return words.length === 0
      ? []
      : [
          {
            kind: 'overlapping areas',
            account: account.id,
            path: O.none,
            message: `${words.join('; ')}: what is in both is served by the settings of each`,
            note: true,
          },
        ]
  }
