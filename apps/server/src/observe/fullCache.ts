import type { CacheOptions } from '@canopy/storage-fs'
import type { Logger } from 'pino'

/** As many directories of an area are counted at most. */
const mostCounted = 10_000

/**
 * One line for each area that does not fit into the cache of listings: a minute after the first directory that found no room,
 * with the bytes that all of that minute lacked. `CANOPY_CACHE_BYTES` must be raised by `perByte` for each of them.
 */
export const reportFullCache = (
  log: Logger,
  perByte: number,
  afterMs = 60_000,
): NonNullable<CacheOptions['onFull']> => {
  const areas = new Map<string, Map<string, number>>()
  const report = (area: string, lacking: Map<string, number>): void => {
    const bytes = [...lacking.values()].reduce((sum, each) => sum + each, 0)
    lacking.clear()
    log.warn(
      { area, raiseBy: Math.ceil(bytes * perByte) },
      'an area does not fit into the cache of listings: raise CANOPY_CACHE_BYTES by about this many bytes',
    )
  }
  return ({ area: { location }, path }, bytes) => {
    const lacking = areas.get(location)
    if (lacking === undefined) {
      const first = new Map<string, number>([[path, bytes]])
      areas.set(location, first)
      setTimeout(() => report(location, first), afterMs).unref()
      return
    }
    // Once the line is written nothing is counted.
    if (lacking.size > 0 && lacking.size < mostCounted) lacking.set(path, bytes)
  }
}
