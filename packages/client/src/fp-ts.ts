// The client for programs with fp-ts: @canopy/client/fp-ts.
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Client } from './client.js'
import {
  type Call,
  type Failure,
  type FileFailure,
  type StorageFailure,
  type TriggerFailure,
  toResult,
  type UserContentFailure,
} from './failures.js'
import type * as Promised from './pages.js'
import type { CallOptions } from './request.js'
import type { DirectoryItem, PeekedTrigger, TreeNode, WalkedNode } from './responses.js'
import type {
  FileRequest,
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
  WalkRequest,
} from './targets.js'

/** Items of a directory. */
export interface Page<F extends Failure> {
  readonly items: ReadonlyArray<DirectoryItem>
  /** Requests the next page with the same limit, signal and timeout. Empty on the last page. */
  readonly next: O.Option<TE.TaskEither<F, Page<F>>>
}

type Operation<Request, F, A> = (request: Request, call?: CallOptions) => TE.TaskEither<F, A>
type Loop<Request, F, A> = (request: Request, call?: CallOptions) => AsyncIterable<E.Either<F, A>>

/** The operations of `Client` by the same names. Each run of a TaskEither sends a request. A loop ends after its first `left`. */
export interface TaskEitherClient {
  readonly storageTree: Operation<StorageTreeRequest, StorageFailure, TreeNode>
  readonly userContentTree: Operation<UserContentTreeRequest, UserContentFailure, TreeNode>
  readonly storageDirItems: Operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  readonly userContentDirItems: Operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
  readonly triggerPeek: Operation<TriggerPeekRequest, TriggerFailure, PeekedTrigger>
  readonly file: Operation<FileRequest, FileFailure, Response>
  readonly fileUrl: Client['fileUrl']
  readonly storageItems: Loop<StorageDirItemsRequest, StorageFailure, DirectoryItem>
  readonly userContentItems: Loop<UserContentDirItemsRequest, UserContentFailure, DirectoryItem>
  readonly walk: Loop<WalkRequest, StorageFailure | UserContentFailure, WalkedNode>
  readonly storagePages: Loop<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  readonly userContentPages: Loop<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
}

const settle = async <A, F extends Failure>(call: Call<A, F>): Promise<E.Either<F, A>> => {
  const result = await toResult(call)
  return 'failure' in result ? E.left(result.failure) : E.right(result.value)
}

const run =
  <Request, F extends Failure, A, B>(
    operation: (request: Request, call?: CallOptions) => Call<A, F>,
    map: (value: A) => B,
  ): Operation<Request, F, B> =>
  (request, call) =>
  async () =>
    E.map(map)(await settle(operation(request, call)))

const page = <F extends Failure>({ items, next }: Promised.Page<F>): Page<F> => ({
  items,
  next: next === undefined ? O.none : O.some(async () => E.map(page<F>)(await settle(next()))),
})

const iterate =
  <Request, F extends Failure, A, B>(
    loop: (request: Request, call?: CallOptions) => AsyncIterable<A>,
    map: (value: A) => B,
  ): Loop<Request, F, B> =>
  (request, call) => ({
    async *[Symbol.asyncIterator]() {
      const iterator = loop(request, call)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const step = await settle<IteratorResult<A>, F>(iterator.next())
          if (E.isLeft(step)) return yield step
          if (step.right.done === true) return
          yield E.right(map(step.right.value))
        }
      } finally {
        await iterator.return?.()
      }
    },
  })

export const toTaskEitherClient = (client: Client): TaskEitherClient => ({
  storageTree: run(client.storageTree, identity),
  userContentTree: run(client.userContentTree, identity),
  storageDirItems: run(client.storageDirItems, page),
  userContentDirItems: run(client.userContentDirItems, page),
  triggerPeek: run(client.triggerPeek, identity),
  file: run(client.file, identity),
  fileUrl: client.fileUrl,
  storageItems: iterate(client.storageItems, identity),
  userContentItems: iterate(client.userContentItems, identity),
  walk: iterate(client.walk, identity),
  storagePages: iterate(client.storagePages, page),
  userContentPages: iterate(client.userContentPages, page),
})
