import { Failure } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'

export type StorageResult<A> = E.Either<Failure.OfStorage, A>

/** For a call that can only fail with `external`. */
export const asExternal = (failure: Failure.OfStorage): Failure.External =>
  failure.error === 'external' ? failure : Failure.external(new Error(failure.error))
