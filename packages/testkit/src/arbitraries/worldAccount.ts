import { UserId } from '@canopy/domain'
import * as fc from 'fast-check'
import type { WorldAccount } from '../World.js'
import { accessToken } from './accessToken.js'
import { distinctBy } from './distinctBy.js'
import { locate, type Place, pathsOf, place } from './place.js'
import { userId } from './userId.js'
import { visibility } from './visibility.js'
import { type WorldBounds, worldNodes } from './worldNodes.js'

const root: Place = { node: 0, suffix: '', below: [] }

const token = fc.record({
  token: accessToken,
  scope: fc.oneof({ withCrossShrink: true }, fc.constant(root), place),
  state: fc.oneof(
    { weight: 4, arbitrary: fc.constant('valid' as const) },
    { weight: 1, arbitrary: fc.constantFrom('expired' as const, 'revoked' as const) },
  ),
})

const setting = fc.record({
  path: fc.oneof({ weight: 1, arbitrary: fc.constant(root) }, { weight: 4, arbitrary: place }),
  visibility,
})

const often = <A>(some: fc.Arbitrary<ReadonlyArray<A>>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: fc.constant([]) }, { weight: 9, arbitrary: some })

/** Settings and scopes stand on its nodes, on missing paths, below files, and on names that begin like another. */
export const worldAccount = (bounds: WorldBounds = {}): fc.Arbitrary<WorldAccount> =>
  fc
    .record({
      id: userId.map(UserId.toDecimal),
      verified: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      tokens: often(fc.array(token, { minLength: 1, maxLength: 3 })),
      settings: often(fc.array(setting, { minLength: 1, maxLength: 8 })),
      area: fc.oneof(
        { weight: 14, arbitrary: worldNodes(bounds) },
        { weight: 1, arbitrary: fc.constant('missing' as const) },
      ),
    })
    .map((account) => {
      const at = locate(pathsOf(account.area))
      return {
        ...account,
        tokens: account.tokens.map((each) => ({ ...each, scope: at(each.scope) })),
        settings: distinctBy(
          ({ path }) => path,
          account.settings.map((each) => ({ ...each, path: at(each.path) })),
        ),
      }
    })
