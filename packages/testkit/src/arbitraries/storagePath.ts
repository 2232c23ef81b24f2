import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import { alike, name } from './name.js'

const short = fc.array(
  fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: alike }, { weight: 2, arbitrary: name }),
  { maxLength: 5 },
)

const deepest = fc.constant(Array.from({ length: StoragePath.maxSegments }, () => 'a'))

/** Mostly short, of names that begin alike, so that two of them are often related. */
export const storagePath: fc.Arbitrary<StoragePath.StoragePath> = fc
  .oneof({ withCrossShrink: true }, { weight: 30, arbitrary: short }, { weight: 1, arbitrary: deepest })
  .map((names) => `/${names.join('/')}`)
  .filter(StoragePath.is)
