import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Where a path leads, by every symbolic link of what is there; what is not there yet is taken as it stands. */
export const realPlace = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPlace(dirname(path)), basename(path))
  }
}
