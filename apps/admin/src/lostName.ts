import type { StoragePath } from '@canopy/domain'

/**
 * Node reads what is not UTF-8 on a command line as U+FFFD, which may stand in a name as well: what is asked for is done, and
 * what may have been meant is said.
 */
export const lostName = (path: StoragePath.StoragePath): ReadonlyArray<string> =>
  path.includes('\uFFFD')
    ? [
        'The path holds U+FFFD: if a name that is not UTF-8 was meant, this is about another one; nobody can see that node.',
      ]
    : []

/** The same for a program: a field that is there only then. */
export const lostNameJson = (path: StoragePath.StoragePath): { readonly warning?: string } => {
  const [warning] = lostName(path)
  return warning === undefined ? {} : { warning }
}
