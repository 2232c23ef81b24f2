import { cliff } from './cases/cliff.mjs'
import { compressed } from './cases/compressed.mjs'
import { conditional } from './cases/conditional.mjs'
import { entries } from './cases/entries.mjs'
import { few } from './cases/few.mjs'
import { latency } from './cases/latency.mjs'
import { listings } from './cases/listings.mjs'
import { missing } from './cases/missing.mjs'
import { objects } from './cases/objects.mjs'
import { others } from './cases/others.mjs'
import { registry } from './cases/registry.mjs'
import { start } from './cases/start.mjs'
import { trees } from './cases/trees.mjs'
import { workers } from './cases/workers.mjs'

/** Each gives rows, one for each figure. */
export const cases = [
  listings,
  compressed,
  few,
  conditional,
  others,
  missing,
  latency,
  workers,
  entries,
  registry,
  start,
  trees,
  cliff,
  objects,
]
