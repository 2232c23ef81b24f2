import { accessMutants } from './accessMutants.js'
import { boundMutants } from './boundMutants.js'
import { httpMutants } from './httpMutants.js'
import type { Mutant } from './Mutant.js'
import { orderMutants } from './orderMutants.js'
import { pathMutants } from './pathMutants.js'
import { triggerMutants } from './triggerMutants.js'
import { valueMutants } from './valueMutants.js'
import { visibilityMutants } from './visibilityMutants.js'

/** Servers that get one thing wrong each: at least one for every decision that can be got wrong. */
export const mutants: ReadonlyArray<Mutant> = [
  ...visibilityMutants,
  ...accessMutants,
  ...pathMutants,
  ...orderMutants,
  ...valueMutants,
  ...boundMutants,
  ...triggerMutants,
  ...httpMutants,
]
