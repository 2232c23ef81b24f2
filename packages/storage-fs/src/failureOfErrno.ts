import { Failure } from '@canopy/domain'
import { errnoOf } from '@canopy/files'

/** What the file system says about a path, in the interface's words. All else is trouble of the storage itself. */
const failures = new Map<string, Failure.FileNotFound | Failure.TypeMismatch>([
  ['ENOENT', Failure.fileNotFound],
  // A name or a path that the file system cannot hold: nothing is there.
  ['ENAMETOOLONG', Failure.fileNotFound],
  // Links do not exist for Canopy, so neither do their circles.
  ['ELOOP', Failure.fileNotFound],
  ['ENOTDIR', Failure.typeMismatch],
])

export const failureOfErrno = (thrown: unknown): Failure.OfStorage =>
  failures.get(errnoOf(thrown)) ?? Failure.external(thrown)
