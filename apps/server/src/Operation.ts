import type { operations } from '@canopy/domain'

/** The name of one of the five operations. */
export type Operation = keyof typeof operations
