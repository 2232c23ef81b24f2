import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Removes a directory with all it holds, also what lies at paths too long for Node's own `rm`. */
export const uprootDirectory = async (directory: string): Promise<void> => {
  await promisify(execFile)('rm', ['-rf', '--', directory])
}
