import { Failure } from '@canopy/domain'

/** What the file system says about a path, in the interface's words. All else is trouble of the storage itself. */
const failures = new Map<string, Failure.FileNotFound | Failure.TypeMismatch>([
  ['ENOENT', Failure.fileNotFound],
  // A name or a path that the file system cannot hold: nothing is there.
  ['ENAMETOOLONG', Failure.fileNotFound],
  // Links do not exist for Canopy, so neither do their circles.
  ['ELOOP', Failure.fileNotFound],
  ['ENOTDIR', Failure.typeMismatch],
])

/** The errno's name (`ENOENT`) of what a call of `node:fs` threw; empty when it is something else. */
export const errnoOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

export const failureOfErrno = (thrown: unknown): Failure.FileNotFound | Failure.TypeMismatch | Failure.External =>
  failures.get(errnoOf(thrown)) ?? Failure.external(thrown)
