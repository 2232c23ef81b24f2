import type { World } from '../World.js'
import { httpScenarios } from './httpScenarios.js'
import { scenarios } from './scenarios.js'

const allOf = <A>(worlds: ReadonlyArray<World>, part: (world: World) => ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Set(worlds)].flatMap(part)

/**
 * The worlds of all scenarios as one, to be planted once: their accounts, tokens and triggers are told apart by their
 * own ids. `everyU64` takes in what no real disk can hold.
 */
export const fixture = (everyU64: boolean): World => {
  const worlds = [...scenarios.filter(({ memoryOnly }) => everyU64 || memoryOnly !== true), ...httpScenarios].map(
    ({ world }) => world,
  )
  return {
    accounts: allOf(worlds, ({ accounts }) => accounts),
    triggers: allOf(worlds, ({ triggers }) => triggers),
  }
}
