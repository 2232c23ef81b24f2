import { Failure } from '@canopy/domain'
import * as fc from 'fast-check'

/** Each of the seven; `external` with any cause. */
export const failure: fc.Arbitrary<Failure.Failure> = fc.oneof(
  fc.constantFrom<Failure.Failure>(
    Failure.invalidToken,
    Failure.notVerified,
    Failure.permissionDenied,
    Failure.fileNotFound,
    Failure.typeMismatch,
    Failure.triggerNotFound,
  ),
  fc.anything().map(Failure.external),
)
