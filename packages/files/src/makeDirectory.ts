import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/**
 * Makes a directory, with those above it, or finds it there; tells whether it is new. Rejects with what `node:fs` throws. Node's own recursive
 * `mkdir` goes round for ever where there is a directory, or a link, in which none can be made: `/proc`, a link to nowhere.
 */
export const makeDirectory = async (directory: string): Promise<boolean> => {
  if (await isDirectory(directory)) return false
  const above = dirname(directory)
  if (above !== directory) await makeDirectory(above)
  return mkdir(directory).then(
    () => true,
    async (thrown: unknown) => {
      // Somebody else may have been quicker.
      if (await isDirectory(directory)) return false
      throw thrown
    },
  )
}
