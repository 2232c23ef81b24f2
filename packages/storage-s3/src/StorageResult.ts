import type { Failure } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'

export type StorageResult<A> = E.Either<Failure.OfStorage, A>
