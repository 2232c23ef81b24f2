import { Visibility } from '@canopy/domain'
import * as fc from 'fast-check'

export const visibility: fc.Arbitrary<Visibility.Visibility> = fc.constantFrom(...Visibility.all)
