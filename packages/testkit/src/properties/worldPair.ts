import * as fc from 'fast-check'
import { world } from '../arbitraries/world.js'
import type { World } from '../World.js'
import { twinOf } from './twinOf.js'
import { twinPlan } from './twinPlan.js'

export type WorldPair = readonly [World, World]

/** Two worlds of equal accounts, tokens, settings and triggers, which differ only in nodes that no visitor may see. */
export const worldPair: fc.Arbitrary<WorldPair> = fc
  .record({ one: world(), plans: fc.array(twinPlan, { minLength: 1, maxLength: 3 }) })
  .map(({ one, plans }) => [
    one,
    {
      ...one,
      accounts: one.accounts.map((account, index) => {
        const plan = plans[index % plans.length]
        return plan === undefined ? account : twinOf(plan)(account)
      }),
    },
  ])
