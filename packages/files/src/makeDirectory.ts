import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** What Canopy creates is closed to other users, whatever the umask; a stricter umask makes it stricter. */
const mode = 0o750

/**
 * Makes a directory, with those above it, or finds it there; tells whether it is new. New ones have mode 0750, less what the
 * umask takes. Rejects with what `node:fs` throws. Node's own recursive `mkdir` loops for ever where there is a directory, or
 * a link, in which none can be made: `/proc`, a link to nowhere.
 */
export const makeDirectory = async (directory: string): Promise<boolean> => {
  if (await isDirectory(directory)) return false
  const above = dirname(directory)
  if (above !== directory) await makeDirectory(above)
  return mkdir(directory, { mode }).then(
    () => true,
    async (thrown: unknown) => {
      // Another process may have made it in the meantime.
      if (await isDirectory(directory)) return false
      throw thrown
    },
  )
}
