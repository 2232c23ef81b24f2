import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { authorizeOwner, authorizeVisitor, type StorageRequest, type UserContentRequest } from './authorization.js'
import * as Failure from './Failure.js'
import { archiveAt, fileAt } from './File.js'
import * as Items from './Items.js'
import type { TriggerOfEnv } from './ports.js'
import type * as Tree from './Tree.js'
import * as TriggerId from './TriggerId.js'
import { treeAt } from './treeAt.js'

/** A request from anyone who knows the id of a trigger. */
export interface TriggerRequest {
  /** One segment of the raw request target, percent-encoded. A secret. */
  readonly id: string
}

/**
 * The five operations, in the order of docs/http-api.md. Each type lists the failures of its operation; `Failure.ts` says when they
 * occur.
 */
export const operations = {
  /** Returns a node of the area that a token opens, with all nodes below it within the bounds. */
  storageTree: (request: StorageRequest, bounds: Tree.Bounds) =>
    pipe(authorizeOwner(request), RTE.flatMap(treeAt(bounds))),
  /** Returns a node of a user's area as visitors see it, with all nodes below it within the bounds. */
  userContentTree: (request: UserContentRequest, bounds: Tree.Bounds) =>
    pipe(authorizeVisitor(request), RTE.flatMap(treeAt(bounds))),
  /** Returns the items directly in a directory of the area that a token opens, in byte order: all, or a page. */
  storageDirItems: (request: StorageRequest, bounds: Items.Bounds) =>
    pipe(authorizeOwner(request), RTE.flatMap(Items.itemsAt(bounds))),
  /** Returns the items directly in a directory of a user's area that visitors see, in byte order: all, or a page. */
  userContentDirItems: (request: UserContentRequest, bounds: Items.Bounds) =>
    pipe(authorizeVisitor(request), RTE.flatMap(Items.itemsAt(bounds))),
  /** Returns the value of a trigger, without firing it. */
  triggerPeek:
    ({ id }: TriggerRequest) =>
    ({ triggerOf }: TriggerOfEnv): ReturnType<typeof triggerOf> =>
      pipe(
        TriggerId.fromRawSegment(id),
        O.match(() => TE.left(Failure.triggerNotFound), triggerOf),
      ),
}

/**
 * Reading files, beside the five operations of the interface and never among them. Each fails as the tree operation of the same
 * client, and with `type mismatch` for a directory where a file is requested, or the reverse. The caller closes each file.
 */
export const fileOperations = {
  /** Opens a file of the area that a token opens. */
  storageFile: (request: StorageRequest) => pipe(authorizeOwner(request), RTE.flatMap(fileAt)),
  /** Opens a file of a user's area that visitors may see. */
  userContentFile: (request: UserContentRequest) => pipe(authorizeVisitor(request), RTE.flatMap(fileAt)),
  /** Returns a directory of the area that a token opens, with the files below it, within the bounds. */
  storageArchive: (request: StorageRequest, bounds: Tree.Bounds) =>
    pipe(authorizeOwner(request), RTE.flatMap(archiveAt(bounds))),
  /** Returns a directory of a user's area as visitors see it, with the files below it, within the bounds. */
  userContentArchive: (request: UserContentRequest, bounds: Tree.Bounds) =>
    pipe(authorizeVisitor(request), RTE.flatMap(archiveAt(bounds))),
}
