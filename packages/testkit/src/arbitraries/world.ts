import * as fc from 'fast-check'
import type { World } from '../World.js'
import { distinctBy } from './distinctBy.js'
import { worldAccount } from './worldAccount.js'
import type { WorldBounds } from './worldNodes.js'
import { worldTrigger } from './worldTrigger.js'

/** Whole worlds of one to three accounts. Account ids, tokens, trigger ids and names of siblings are unique. */
export const world = (bounds: WorldBounds = {}): fc.Arbitrary<World> =>
  fc
    .record({
      accounts: fc.array(worldAccount(bounds), { minLength: 1, maxLength: 3 }),
      triggers: fc.array(worldTrigger, { maxLength: 3 }),
    })
    .map(({ accounts, triggers }) => {
      const tokens = distinctBy(
        ({ token }) => token,
        accounts.flatMap((account) => account.tokens),
      )
      return {
        accounts: distinctBy(({ id }) => id, accounts).map((account) => ({
          ...account,
          tokens: account.tokens.filter((token) => tokens.includes(token)),
        })),
        triggers: distinctBy(({ id }) => id, triggers),
      }
    })
