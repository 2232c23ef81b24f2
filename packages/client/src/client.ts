import type * as TE from 'fp-ts/lib/TaskEither.js'
import { asking, type CallOptions, type ClientOptions } from './asking.js'
import * as Failure from './Failure.js'
import { listing } from './listing.js'
import type { Page } from './Page.js'
import type { PeekedTrigger } from './PeekedTrigger.js'
import { readTree, readTrigger } from './readAnswer.js'
import type { TransportFailure } from './TransportFailure.js'
import type { TreeNode } from './TreeNode.js'
import {
  type StorageDirItemsRequest,
  type StorageTreeRequest,
  type TriggerPeekRequest,
  targets,
  type UserContentDirItemsRequest,
  type UserContentTreeRequest,
} from './targets.js'

type Operation<Request, F, A> = (request: Request, call?: CallOptions) => TE.TaskEither<F | TransportFailure, A>
type Listing<Request, F> = Operation<Request, F, Page<F | TransportFailure>>

/** The five operations. Each fails with its column of the interface, part 7, or with the one failure of transport. */
export interface Client {
  /**
   * A node of the area that a token opens, with all below it, or down to `depth`. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly storageTree: Operation<StorageTreeRequest, Failure.StorageFailure, TreeNode>
  /**
   * A node of a user's area as any visitor sees it, with all below it, or down to `depth`. `permission denied` (private, or
   * no such user), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly userContentTree: Operation<UserContentTreeRequest, Failure.UserContentFailure, TreeNode>
  /**
   * The items of a directory in the area that a token opens: all, or `limit` on a page. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly storageDirItems: Listing<StorageDirItemsRequest, Failure.StorageFailure>
  /**
   * The items of a directory of a user's area that any visitor sees: all, or `limit` on a page. `permission denied`
   * (private, or no such user), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly userContentDirItems: Listing<UserContentDirItemsRequest, Failure.UserContentFailure>
  /** What a trigger holds, without firing it. `trigger not found` (unknown, expired or deleted), `external`. */
  readonly triggerPeek: Operation<TriggerPeekRequest, Failure.TriggerFailure, PeekedTrigger>
}

/** A client of one service. Nothing is asked before a TaskEither is run; each run asks anew. */
export const client = (options: ClientOptions): Client => {
  const ask = asking(options)
  const url = (target: string): string => `${options.baseUrl}${target}`
  const { storageColumn, triggerColumn, userContentColumn } = Failure
  return {
    storageTree: (request, call = {}) => ask(storageColumn, readTree, url(targets.storageTree(request)), call),
    userContentTree: (request, call = {}) =>
      ask(userContentColumn, readTree, url(targets.userContentTree(request)), call),
    storageDirItems: (request, call = {}) =>
      listing(ask, storageColumn, url(targets.storageDirItems(request)), request.after, call),
    userContentDirItems: (request, call = {}) =>
      listing(ask, userContentColumn, url(targets.userContentDirItems(request)), request.after, call),
    triggerPeek: (request, call = {}) => ask(triggerColumn, readTrigger, url(targets.triggerPeek(request)), call),
  }
}
