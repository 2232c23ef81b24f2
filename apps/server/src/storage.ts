import type { Area, Failure, ListEnv, NodeAtEnv, OpenFileEnv, StorageModule, StoragePath } from '@canopy/domain'
import { type Installation, openStorageModule } from '@canopy/installation'
import {
  byMount,
  type CacheOptions,
  cachedListings,
  changeEvents,
  foreignMountOf,
  foreignStorage,
  fsStorage,
  isForeign,
  procIsMounted,
  ReaderPool,
  type StorageRoot,
  storageReachable,
} from '@canopy/storage-fs'
import { s3Storage } from '@canopy/storage-s3'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import { reasonOfFailure } from './observe/health.js'
import type { Metrics } from './observe/prometheus.js'
import { type SettingsSeen, shareStorage } from './sharedStorage.js'

interface StorageEnv {
  readonly log: Logger
  readonly metrics: Metrics | undefined
  readonly settingsSeen: SettingsSeen
}

/** Directories, an object store or a module, opened. */
export interface Storage {
  /** Returns the ports, with a cache of listings if change events can invalidate it. */
  readonly ports: (
    config: Config,
    { log, metrics, settingsSeen }: StorageEnv,
  ) => NodeAtEnv & ListEnv & Partial<OpenFileEnv>
  /** See `ForeignMountOf` of storage-fs. */
  readonly mountOf: (area: Area.Area, path: StoragePath.StoragePath) => string | undefined
  /** Returns the response cache's share of `CANOPY_CACHE_BYTES`. */
  readonly responseCacheBytes: (cacheBytes: number) => number
  /** Must succeed before the server starts; `left` is for the operator. The directory itself may be created later. */
  readonly startable: TE.TaskEither<string, void>
  /** Whether areas can be read now. */
  readonly reachable: TE.TaskEither<Failure.External, unknown>
  /** Whether files can be read; absent if only each file tells. */
  readonly filesReadable?: TE.TaskEither<Failure.External, unknown> | undefined
  readonly close: () => unknown
}

/** Returns a quarter for the response cache. The listings get the rest. */
const responseCacheShare = (cacheBytes: number): number => Math.floor(cacheBytes / 4)

/** With `CANOPY_MAX_AGE_MS`, answers from network and FUSE mounts get half of the memory for listings. */
const olderShare = (listings: number, maxAgeMs: number): number => (maxAgeMs === 0 ? 0 : Math.floor(listings / 2))

const minuteMs = 60_000
/** Counted directories of one area. */
const maxCounted = 10_000

/**
 * Logs one line for each area that does not fit into the cache of listings, a minute after its first directory did not fit.
 * `raiseBy` is the sum of the bytes that were missing in this minute, times `perByte`, because the listings get only a share of
 * `CANOPY_CACHE_BYTES`.
 */
export const reportFullCache = (log: Logger, perByte: number): NonNullable<CacheOptions['onFull']> => {
  /** The missing bytes of each directory, by area; empty after the minute of the area. */
  const areas = new Map<string, Map<string, number>>()
  return ({ area: { location: area }, path }, bytes) => {
    const missing = areas.get(area) ?? new Map<string, number>()
    if (!areas.has(area)) {
      areas.set(area, missing)
      setTimeout(() => {
        const sum = [...missing.values()].reduce((sum, each) => sum + each, 0)
        missing.clear()
        log.warn(
          { area, raiseBy: Math.ceil(sum * perByte) },
          'area does not fit into the listing cache: raise CANOPY_CACHE_BYTES by about `raiseBy` bytes',
        )
      }, minuteMs).unref()
    } else if (missing.size === 0 || missing.size >= maxCounted) return
    missing.set(path, bytes)
  }
}

/** Reports the first call only: the later ones have the same cause and the same cure. */
const once = <A extends ReadonlyArray<unknown>>(report: (...args: A) => void): ((...args: A) => void) => {
  let isReported = false
  return (...args) => {
    if (!isReported) report(...args)
    isReported = true
  }
}

const reportForeign = (log: Logger) =>
  once(({ location }: Area.Area, mounts: string) =>
    log.warn(
      { area: location, mounts: mounts.split('\0') },
      'area is on a network or FUSE file system, so it is read on every request: set CANOPY_MAX_AGE_MS to allow cached responses',
    ),
  )

const reportNoWatchLeft = (log: Logger) =>
  once(() =>
    log.warn(
      'out of inotify watches, so directories without one are read on every request: raise fs.inotify.max_user_watches',
    ),
  )

const directoriesReachable = (root: StorageRoot.StorageRoot): Storage['reachable'] => {
  const pool = new ReaderPool(root, { maxProcesses: 1 })
  return () => (isForeign(root) ? pool.reachable() : storageReachable(root)())
}

/** Local directories are cached until a change event. Calls for network and FUSE mounts, which report no changes, are shared. */
const directoryStorage = (root: StorageRoot.StorageRoot, mountOf = foreignMountOf(root)): Storage => ({
  ports: ({ cacheBytes, maxAgeMs }, { log, metrics, settingsSeen }) => {
    const notBefore = ({ owner }: Area.Area) => settingsSeen.since(owner)
    const local = fsStorage(root, { readers: new ReaderPool(root) })
    const foreign = foreignStorage(root, reportForeign(log))
    if (cacheBytes === 0) return shareStorage(byMount(mountOf, local, foreign), { ms: maxAgeMs, bytes: 0 }, notBefore)
    const listings = cacheBytes - responseCacheShare(cacheBytes)
    const older = olderShare(listings, maxAgeMs)
    const bytes = listings - older
    const onFull = reportFullCache(log, cacheBytes / bytes)
    const events = changeEvents(root, { onNoWatchLeft: reportNoWatchLeft(log) })
    const { figures, ...cached } = cachedListings(local, events, bytes, { onFull })
    metrics?.watchCache(figures)
    return byMount(mountOf, cached, shareStorage(foreign, { ms: maxAgeMs, bytes: older }, notBefore))
  },
  mountOf,
  responseCacheBytes: responseCacheShare,
  startable: pipe(TE.fromIOEither(procIsMounted), TE.mapLeft(reasonOfFailure)),
  reachable: directoriesReachable(root),
  // Reader processes end with this one.
  close: constVoid,
})

/** Explains a failure of the storage to the operator. */
export const unreadable = (failure: Failure.External): string => `cannot read the storage: ${reasonOfFailure(failure)}`

/** A storage that reports no changes, so checking a cached answer costs as much as building it. */
const storageWithoutEvents = ({
  reachable,
  filesReadable,
  close,
  ...ports
}: StorageModule & Pick<Storage, 'filesReadable'>): Storage => ({
  ports: ({ maxAgeMs, cacheBytes }, { settingsSeen }) =>
    shareStorage(ports, { ms: maxAgeMs, bytes: cacheBytes }, ({ owner }) => settingsSeen.since(owner)),
  mountOf: () => undefined,
  responseCacheBytes: () => 0,
  startable: pipe(reachable, TE.mapBoth(unreadable, constVoid)),
  reachable,
  filesReadable,
  close,
})

/** Opens the storage of `CANOPY_STORAGE` without reading it. `left` is for the operator. */
export const openStorage = (storage: Installation.Installation['storage']): TE.TaskEither<string, Storage> => {
  if (typeof storage === 'string') return TE.right(directoryStorage(storage))
  return storage instanceof URL
    ? pipe(openStorageModule(storage), TE.map(storageWithoutEvents))
    : TE.fromTask(async () => storageWithoutEvents(await s3Storage(storage)))
}
