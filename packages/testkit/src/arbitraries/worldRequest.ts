import type * as fc from 'fast-check'
import type { Ask } from '../Ask.js'
import type { World } from '../World.js'
import { askOf } from './askOf.js'
import { askPlan } from './askPlan.js'

/** A request to a world: of any operation, for what it holds and for what it does not. */
export const worldRequest = (world: World): fc.Arbitrary<Ask> => askPlan.map(askOf(world))
