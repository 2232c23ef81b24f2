import type { World } from '../World.js'
import { boundScenarios } from './boundScenarios.js'
import { errorScenarios } from './errorScenarios.js'
import { httpScenarios } from './httpScenarios.js'
import { pathScenarios } from './pathScenarios.js'
import type { Scenario } from './Scenario.js'
import { visibilityScenarios } from './visibilityScenarios.js'

/** The interface and the decisions, sentence by sentence, as questions and exact answers. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...errorScenarios,
  ...pathScenarios,
  ...visibilityScenarios,
  ...boundScenarios,
]

const allOf = <A>(worlds: ReadonlyArray<World>, part: (world: World) => ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Set(worlds)].flatMap(part)

/**
 * The worlds of all scenarios as one, to be seeded once: their accounts, tokens and triggers are distinguished by their
 * own ids. `everyU64` takes in what no real disk can hold.
 */
export const fixture = (everyU64: boolean): World => {
  const worlds = [...scenarios.filter(({ memoryOnly }) => everyU64 || memoryOnly !== true), ...httpScenarios].map(
    ({ world }) => world,
  )
  return { accounts: allOf(worlds, ({ accounts }) => accounts), triggers: allOf(worlds, ({ triggers }) => triggers) }
}
