import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino

/**
 * Rejects once the path leads to another file than in the beginning, or to none: the file that is open can be read as
 * before, and is not the registry any more.
 */
export const stillInPlace = (path: string): (() => Promise<void>) => {
  const opened = statSync(path)
  return async () => {
    if (!isSame(await stat(path), opened))
      throw new Error(`${path} was replaced since the server opened it: restart it`)
  }
}
