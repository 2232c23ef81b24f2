import { type DirectoryItem, U64 } from '@canopy/domain'
import * as fc from 'fast-check'
import { name } from './name.js'
import { nodeVisibility } from './nodeVisibility.js'
import { u64 } from './u64.js'

export const directoryItem: fc.Arbitrary<DirectoryItem.DirectoryItem> = fc
  .record(
    { visibility: nodeVisibility, is_file: fc.boolean(), name, last_modified: u64, size: u64 },
    { noNullPrototype: true },
  )
  .map((item) => (item.is_file ? item : { ...item, size: U64.zero }))
