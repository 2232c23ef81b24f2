import {
  type Area,
  Failure,
  type ListEnv,
  Listing,
  type ListOptions,
  type NodeAtEnv,
  type OpenFileEnv,
  StoragePath,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaPrefix } from './keys.js'
import { LookUps } from './LookUps.js'
import { exactDirectories } from './letterCase.js'
import { levelPage } from './levelPage.js'
import { openObject } from './objectFiles.js'
import type { S3Url } from './S3Url.js'
import type { StorageResult } from './StorageResult.js'
import { askStore } from './StoreFailed.js'
import { ignoreRejection, openStore, type Store } from './store.js'
import { TreeReader } from './TreeReader.js'

/** The storage ports over areas that are key prefixes. */
export interface S3Storage extends NodeAtEnv, ListEnv, OpenFileEnv {
  /** Whether the bucket can be listed. The message of `cause` is the reason, with a hint for the operator. */
  readonly reachable: TE.TaskEither<Failure.External, void>
  /** Whether objects can be read. The message of `cause` is as above. */
  readonly filesReadable: TE.TaskEither<Failure.External, void>
  readonly close: () => void
}

/** Enough keys to show that a store does not list them in order. */
const checkedKeys = 50

/** Any key: whether it exists decides nothing. */
const probe = 'canopy-reads-files'

const noMoreEntries: Listing.Listing = { entries: [], unlistable: 0, isPaged: true }

/** Creates the storage ports over an open bucket. */
export const storageIn = (url: S3Url, store: Store): S3Storage => {
  const isExact = exactDirectories(store)
  const lookUps = new LookUps(store, isExact)
  const trees = new TreeReader(store)

  const inArea = <A>(
    area: Area.Area,
    ask: (prefix: string) => Promise<StorageResult<A>>,
  ): TE.TaskEither<Failure.OfStorage, A> =>
    pipe(
      TE.fromEither(areaPrefix(url, area)),
      TE.flatMap((prefix) => askStore(url, () => ask(prefix))),
      TE.flatMapEither(identity),
    )

  /** Reads a page of a directory; `undefined` if no key of it follows `after`. */
  const pageIn = async (
    area: string,
    path: StoragePath.StoragePath,
    { parent, ...options }: ListOptions,
  ): Promise<Listing.Listing | undefined> => {
    const prefix = path === StoragePath.root ? area : `${area}${path.slice(1)}/`
    const page =
      parent === undefined
        ? await levelPage(store, prefix, options)
        : await trees.page(parent, StoragePath.name(path), prefix, options)
    // The page above lists the name as it is.
    const isListed = parent !== undefined && parent !== Listing.noParent
    return page === undefined || isListed || (await isExact(area, path)) ? page : undefined
  }

  return {
    nodeAt: (area, path) => inArea(area, (prefix) => lookUps.nodeAt(area, prefix, path)),
    openFile: (area, path, { signal } = {}) =>
      inArea(area, async (prefix) => {
        // At the same time, because a look-up is two requests to the store.
        const opening = ignoreRejection(openObject(url, store, `${prefix}${path.slice(1)}`, signal))
        const node = await lookUps.nodeAt(area, prefix, path)
        if (E.isLeft(node)) return node
        return node.right.type === 'dir' ? E.left(Failure.typeMismatch) : opening
      }),
    list: (area, path, options = {}) =>
      inArea(area, async (prefix) => {
        const page = await pageIn(prefix, path, options)
        if (page !== undefined) return E.right(page)
        return pipe(
          await lookUps.nodeAt(area, prefix, path),
          E.flatMap(({ type }): StorageResult<Listing.Listing> => {
            if (type === 'file') return E.left(Failure.typeMismatch)
            // Without `after`, the directory was created after its page was requested.
            return options.after === undefined ? E.left(Failure.fileNotFound) : E.right(noMoreEntries)
          }),
        )
      }),
    reachable: TE.asUnit(
      askStore(url, () => store.page({ prefix: url.prefix, oneLevel: false, maxKeys: checkedKeys })),
    ),
    filesReadable: TE.asUnit(askStore(url, () => store.head(`${url.prefix}${probe}`))),
    close: store.close,
  }
}

/** Creates the storage ports over a bucket. Loads the SDK. */
export const s3Storage = async (url: S3Url): Promise<S3Storage> => storageIn(url, await openStore(url))
