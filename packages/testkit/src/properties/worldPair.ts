import * as fc from 'fast-check'
import { worldAccount } from '../arbitraries/worldAccount.js'
import type { World } from '../World.js'
import { twinOf } from './twinOf.js'
import { twinPlan } from './twinPlan.js'

export type WorldPair = readonly [World, World]

/** Visitors meet accounts alone, and one at a time: a second one is there for answers to be mixed up with. */
const accounts = fc.uniqueArray(worldAccount(), { minLength: 1, maxLength: 2, selector: ({ id }) => id })

/** Two worlds of equal accounts, tokens and settings, which differ only in nodes that no visitor may see. */
export const worldPair: fc.Arbitrary<WorldPair> = fc
  .record({ ones: accounts, plans: fc.array(twinPlan, { minLength: 1, maxLength: 2 }) })
  .map(({ ones, plans }) => {
    const others = ones.map((account, index) => {
      const plan = plans[index % plans.length]
      return plan === undefined ? account : twinOf(plan)(account)
    })
    return [
      { accounts: ones, triggers: [] },
      { accounts: others, triggers: [] },
    ]
  })
