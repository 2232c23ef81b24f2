import * as fc from 'fast-check'
import type { WorldTrigger } from '../World.js'
import { triggerId } from './triggerId.js'
import { triggerValue } from './triggerValue.js'

export const worldTrigger: fc.Arbitrary<WorldTrigger> = fc.record(
  {
    id: triggerId,
    value: triggerValue.map(({ json }) => json),
    state: fc.constantFrom('valid', 'expired', 'deleted'),
  },
  { noNullPrototype: true },
)
