import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDirectory } from '@canopy/testkit'

/** Makes an empty directory. `after` removes it: a hook of vitest, such as `afterAll` or `onTestFinished`. */
export const temporaryDirectory = (after: (remove: () => Promise<void>) => unknown): string => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-'))
  after(() => removeDirectory(directory))
  return directory
}
