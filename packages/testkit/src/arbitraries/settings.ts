import type { Settings } from '@canopy/domain'
import * as fc from 'fast-check'
import { storagePath } from './storagePath.js'
import { visibility } from './visibility.js'

export const settings: fc.Arbitrary<Settings.Settings> = fc
  .array(fc.tuple(storagePath, visibility), { maxLength: 8 })
  .map((pairs) => new Map(pairs))
