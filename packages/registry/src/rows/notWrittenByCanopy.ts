import { Failure } from '@canopy/domain'

/** The registry holds what Canopy does not write, in these columns. */
export const notWrittenByCanopy = (columns: string): Failure.External =>
  Failure.external(new Error(`the registry holds a value that Canopy does not write, in ${columns}`))
