import type { NodeVisibility } from '@canopy/domain'
import * as fc from 'fast-check'
import { visibility } from './visibility.js'

export const nodeVisibility: fc.Arbitrary<NodeVisibility.NodeVisibility> = fc.record(
  { inherited: fc.boolean(), visibility },
  { noNullPrototype: true },
)
