import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Removes a directory with all it holds, also what lies at paths too long for Node's own `rm`, and locked directories. */
export const uprootDirectory = async (directory: string): Promise<void> => {
  try {
    await run('rm', ['-rf', '--', directory])
  } catch {
    // What is locked stops its owner too.
    await run('chmod', ['-R', 'u+rwX', '--', directory])
    await run('rm', ['-rf', '--', directory])
  }
}
