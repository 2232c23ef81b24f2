import { UserId } from '@canopy/domain'
import type * as fc from 'fast-check'
import { u64 } from './u64.js'

export const userId: fc.Arbitrary<UserId.UserId> = u64.filter(UserId.is)
