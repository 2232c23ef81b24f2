import { type BigIntStats, statSync } from 'node:fs'

/**
 * Whether a directory is a mount point: its device differs from that of its parent; `/` is one. A bind mount of the device that
 * its parent is on looks like any other directory. Throws what `node:fs` throws.
 *
 * @param stats of the directory, where they are known already
 */
export const isMountPoint = (
  directory: string,
  stats: BigIntStats = statSync(directory, { bigint: true }),
): boolean => {
  const parent = statSync(`${directory}/..`, { bigint: true })
  return parent.dev !== stats.dev || parent.ino === stats.ino
}
