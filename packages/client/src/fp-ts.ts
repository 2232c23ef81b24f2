// The client's operations as TaskEithers, for programs with fp-ts: @canopy/client/fp-ts.
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { DirectoryItem, PeekedTrigger, TreeNode } from './answers.js'
import type { Client } from './client.js'
import {
  type Call,
  type Failure,
  result,
  type StorageFailure,
  type TriggerFailure,
  type UserContentFailure,
} from './failures.js'
import type * as Promised from './pages.js'
import type {
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
} from './paths.js'
import type { CallOptions } from './request.js'

/** Items of a directory. */
export interface Page<F extends Failure> {
  readonly items: ReadonlyArray<DirectoryItem>
  /** Asks for the next page with the same limit, signal and time-out. `none` on the last page. */
  readonly next: O.Option<TE.TaskEither<F, Page<F>>>
}

type Operation<Request, F, A> = (request: Request, call?: CallOptions) => TE.TaskEither<F, A>
type Loop<Request, F, A> = (request: Request, call?: CallOptions) => AsyncIterable<E.Either<F, A>>

/**
 * The operations of `Client` by the same names. An operation asks when its TaskEither runs, and again each time it runs. A
 * loop ends after its first `left`.
 */
export interface TaskEitherClient {
  readonly storageTree: Operation<StorageTreeRequest, StorageFailure, TreeNode>
  readonly userContentTree: Operation<UserContentTreeRequest, UserContentFailure, TreeNode>
  readonly storageDirItems: Operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  readonly userContentDirItems: Operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
  readonly triggerPeek: Operation<TriggerPeekRequest, TriggerFailure, PeekedTrigger>
  readonly storageItems: Loop<StorageDirItemsRequest, StorageFailure, DirectoryItem>
  readonly userContentItems: Loop<UserContentDirItemsRequest, UserContentFailure, DirectoryItem>
  readonly storagePages: Loop<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  readonly userContentPages: Loop<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
}

const settle = async <A, F extends Failure>(call: Call<A, F>): Promise<E.Either<F, A>> => {
  const settled = await result(call)
  return 'failure' in settled ? E.left(settled.failure) : E.right(settled.value)
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

const walk =
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

const same = <A>(value: A): A => value

/** The same client with TaskEithers. */
export const taskEitherClient = (client: Client): TaskEitherClient => ({
  storageTree: run(client.storageTree, same),
  userContentTree: run(client.userContentTree, same),
  storageDirItems: run(client.storageDirItems, page),
  userContentDirItems: run(client.userContentDirItems, page),
  triggerPeek: run(client.triggerPeek, same),
  storageItems: walk(client.storageItems, same),
  userContentItems: walk(client.userContentItems, same),
  storagePages: walk(client.storagePages, page),
  userContentPages: walk(client.userContentPages, page),
})
