import * as fc from 'fast-check'
import { worldNode } from '../arbitraries/worldNodes.js'
import type { WorldNode } from '../World.js'

/** What becomes of an invisible node. */
export type Fate = 'removed' | 'kept' | 'retouched' | 'renamed' | 'swapped'

/** How an area's twin differs from it, chosen before the area is known. */
export interface TwinPlan {
  /** Handed out to the invisible nodes, over and over; `kept` where there are none. */
  readonly fates: ReadonlyArray<Fate>
  /** Invisible nodes that are new in the twin: whole subtrees, each at one of the places where it may stand. */
  readonly added: ReadonlyArray<Added>
  /** Where nothing at all is visible: whether the twin has no root where the area has one, and the other way round. */
  readonly uprooted: boolean
}

export interface Added {
  readonly place: number
  readonly node: WorldNode
}

const fate: fc.Arbitrary<Fate> = fc.constantFrom('removed', 'kept', 'retouched', 'renamed', 'swapped')

export const twinPlan: fc.Arbitrary<TwinPlan> = fc.record({
  fates: fc.array(fate, { maxLength: 5 }),
  added: fc.array(fc.record({ place: fc.nat({ max: 40 }), node: worldNode() }), { maxLength: 3 }),
  uprooted: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})
