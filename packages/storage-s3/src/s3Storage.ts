import { Failure, type ListEnv, type NodeAtEnv } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { S3Url } from './S3Url.js'

/** `nodeAt` and `list` of areas that are key prefixes. */
export interface S3Storage extends NodeAtEnv, ListEnv {
  /** Whether the bucket can be listed; `cause` says what to do where it cannot. */
  readonly reachable: TE.TaskEither<Failure.External, void>
  readonly close: () => void
}

/** The storage ports over a bucket. The store's SDK is loaded now, and not before. */
export const s3Storage = async (_url: S3Url): Promise<S3Storage> => {
  const external = TE.left(Failure.external(new Error('to be written')))
  return { nodeAt: () => external, list: () => external, reachable: external, close: () => undefined }
}
