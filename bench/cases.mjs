import { cliff } from './cases/cliff.mjs'
import { conditional, few, missing, others } from './cases/koa.mjs'
import { listings } from './cases/listings.mjs'
import { objects } from './cases/objects.mjs'
import { start } from './cases/start.mjs'
import { trees } from './cases/trees.mjs'

/** Each gives rows, one for each figure. */
export const cases = [listings, few, conditional, others, missing, start, trees, cliff, objects]
