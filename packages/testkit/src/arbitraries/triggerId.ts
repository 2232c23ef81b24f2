import { TriggerId } from '@canopy/domain'
import * as fc from 'fast-check'
import { name } from './name.js'

export const triggerId: fc.Arbitrary<TriggerId.TriggerId> = fc
  .oneof({ withCrossShrink: true }, fc.stringMatching(/^[a-z0-9_-]{1,12}$/), name)
  .filter(TriggerId.is)
