import type { Failure, NodeAtEnv } from '@canopy/domain'
import type { Installation } from '@canopy/installation'
import {
  cachedListings,
  changeEvents,
  fsStorage,
  procIsMounted,
  readers,
  type StorageRoot,
  storageReachable,
} from '@canopy/storage-fs'
import { type S3Url, s3Storage } from '@canopy/storage-s3'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import { reportFullCache } from './observe/fullCache.js'
import { reasonOf } from './observe/health.js'
import type { Metrics } from './observe/Metrics.js'
import { type ListWhileEnv, shareListings } from './ports.js'

/** Directories or an object store, opened. */
export interface Storage {
  /** Its ports, with a cache of listings where change events say when one is old. */
  readonly ports: (config: Config, log: Logger, metrics: Metrics | undefined) => NodeAtEnv & ListWhileEnv
  /** Without this no server starts; `left` says what is wrong and what to do. A directory may be made later. */
  readonly startable: TE.TaskEither<string, void>
  /** Whether areas can be read now. */
  readonly reachable: TE.TaskEither<Failure.External, void>
  readonly close: () => void
}

/** Of the memory of the caches; the listings have the rest. */
export const answersShare = (cacheBytes: number): number => Math.floor(cacheBytes / 4)

const files = (root: StorageRoot.StorageRoot): Storage => ({
  ports: ({ cacheBytes }, log, metrics) => {
    const storage = fsStorage(root, { startReaders: () => readers(root) })
    if (cacheBytes === 0) return shareListings(storage)
    const bytes = cacheBytes - answersShare(cacheBytes)
    const onFull = reportFullCache(log, cacheBytes / bytes)
    const { figures, ...ports } = cachedListings(storage, changeEvents(root), bytes, { onFull })
    metrics?.watchCache(figures)
    return ports
  },
  startable: pipe(TE.fromIOEither(procIsMounted), TE.mapLeft(reasonOf)),
  reachable: storageReachable(root),
  close: constVoid,
})

/** For the operator. */
export const unreadable = (failure: Failure.External): string => `the storage cannot be read: ${reasonOf(failure)}`

const objects = async (url: S3Url.S3Url): Promise<Storage> => {
  const { reachable, close, ...ports } = await s3Storage(url)
  return {
    // There are no change events.
    ports: () => shareListings(ports),
    startable: pipe(reachable, TE.mapLeft(unreadable)),
    reachable,
    close,
  }
}

/** Opens what `CANOPY_STORAGE` names, and asks it nothing yet. */
export const openStorage =
  (storage: Installation.Installation['storage']): T.Task<Storage> =>
  async () =>
    typeof storage === 'string' ? files(storage) : objects(storage)
