import type { Failure } from '@canopy/domain'

/** A failure on its way out of a stream, whose only way to fail is to throw. */
export class WalkFailed extends Error {
  readonly failure: Failure.FileNotFound | Failure.External
  constructor(failure: Failure.FileNotFound | Failure.External) {
    super(failure.error, failure.error === 'external' ? { cause: failure.cause } : {})
    this.failure = failure
  }
}
