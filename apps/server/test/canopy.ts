import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const bin = fileURLToPath(new URL('../../admin/bin/canopy.js', import.meta.url))

/** Runs the `canopy` command on a data directory and gives what it says as JSON. */
export const canopy = async (data: string, ...parameters: ReadonlyArray<string>) => {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...parameters, '--json'], {
    env: { PATH: process.env['PATH'], CANOPY_DATA: data },
  })
  return JSON.parse(stdout)
}
