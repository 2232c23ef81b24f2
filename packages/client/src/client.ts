import {
  type DirectoryItem,
  failureIn,
  type PeekedTrigger,
  readTree,
  readTrigger,
  storageNames,
  type TreeNode,
  triggerNames,
  userContentNames,
} from './answers.js'
import {
  type Call,
  CanopyError,
  type Failure,
  type StorageFailure,
  type TriggerFailure,
  type UserContentFailure,
} from './failures.js'
import { items, type Page, pageAt, pages } from './pages.js'
import {
  baseUrlOf,
  malformedInput,
  type StorageDirItemsRequest,
  type StorageTreeRequest,
  type TriggerPeekRequest,
  targets,
  type UserContentDirItemsRequest,
  type UserContentTreeRequest,
} from './paths.js'
import { type CallOptions, type Fetch, type Received, request } from './request.js'

/** How a client asks. `undefined` means the same as a missing option. */
export interface ClientOptions {
  /** Where the service answers: `https://files.example` or `http://127.0.0.1:8080/base`. */
  readonly baseUrl: string
  /** Instead of the global one. */
  readonly fetch?: Fetch | undefined
  /** Attempts after the first, when no complete answer came, and on 429, 502, 503 and 504. Default: 2. */
  readonly retries?: number | undefined
  /** The wait before the first retry, in milliseconds; it doubles each time, up to 10 seconds. Default: 250. */
  readonly backOffMs?: number | undefined
  /** For one call with all its retries and waits, in milliseconds. Default: 30,000. From 2^31 on: no limit. */
  readonly timeoutMs?: number | undefined
}

type Operation<Request, F extends Failure, A> = (request: Request, call?: CallOptions) => Call<A, F>
type Loop<Request, A> = (request: Request, call?: CallOptions) => AsyncIterable<A>

/**
 * The five operations, and for each listing a loop over its items or its pages. All reject with a CanopyError, whose
 * failure is one of those named here or a `CallFailure`.
 */
export interface Client {
  /**
   * A node of the area that a token opens, with all below it, or down to `depth`. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly storageTree: Operation<StorageTreeRequest, StorageFailure, TreeNode>
  /**
   * A node of a user's area as any visitor sees it, with all below it, or down to `depth`. `permission denied` (private,
   * or no such user), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly userContentTree: Operation<UserContentTreeRequest, UserContentFailure, TreeNode>
  /**
   * The items of a directory in the area that a token opens: all, or `limit` on a page. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly storageDirItems: Operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  /**
   * The items of a directory of a user's area that any visitor sees: all, or `limit` on a page. `permission denied`
   * (private, or no such user), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly userContentDirItems: Operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
  /** What a trigger holds, without firing it. `trigger not found` (unknown, expired or deleted), `external`. */
  readonly triggerPeek: Operation<TriggerPeekRequest, TriggerFailure, PeekedTrigger>
  /** A loop over the items of all pages. It asks for a page when it comes to it. Fails as `storageDirItems` does. */
  readonly storageItems: Loop<StorageDirItemsRequest, DirectoryItem>
  /** A loop over the items of all pages. It asks for a page when it comes to it. Fails as `userContentDirItems` does. */
  readonly userContentItems: Loop<UserContentDirItemsRequest, DirectoryItem>
  /** A loop over the pages. It asks for a page when it comes to it. Fails as `storageDirItems` does. */
  readonly storagePages: Loop<StorageDirItemsRequest, Page<StorageFailure>>
  /** A loop over the pages. It asks for a page when it comes to it. Fails as `userContentDirItems` does. */
  readonly userContentPages: Loop<UserContentDirItemsRequest, Page<UserContentFailure>>
}

/** NaN is in no bounds. */
const numberOf = (name: string, given: number, isRight: boolean, wanted: string): number =>
  typeof given === 'number' && isRight ? given : malformedInput(`${name} must be a number of ${wanted}`)

const timeoutOf = (given: number): number => numberOf('timeoutMs', given, given > 0, 'milliseconds above 0')

type Ask = (url: string) => Promise<Received>

const one =
  <A>(read: (received: Received) => A) =>
  async (ask: Ask, url: string): Promise<A> =>
    read(await ask(url))

const page = <F extends Failure>(ask: Ask, url: string, { after }: { readonly after?: string | undefined }) =>
  pageAt<F>(ask, url, after)

/** A client of one service. Throws a CanopyError when the base URL or another option is malformed. */
export const client = (options: ClientOptions): Client => {
  const { fetch: ownFetch, retries = 2, backOffMs = 250, timeoutMs = 30_000 } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  const settings = {
    fetch: ownFetch ?? ((url, init) => fetch(url, init)),
    retries: numberOf('retries', retries, retries >= 0, 'attempts from 0'),
    backOffMs: numberOf('backOffMs', backOffMs, backOffMs >= 0, 'milliseconds from 0'),
    timeoutMs: timeoutOf(timeoutMs),
  }

  // Async, so that malformed input rejects as every other failure does.
  const operation =
    <Request, F extends Failure, A>(
      target: (request: Request) => string,
      names: ReadonlyArray<F['error']>,
      answer: (ask: Ask, url: string, request: Request) => Promise<A>,
    ): Operation<Request, F, A> =>
    async (given, call) => {
      const url = `${baseUrl}${target(given)}`
      const ofCall = { signal: call?.signal, timeoutMs: timeoutOf(call?.timeoutMs ?? settings.timeoutMs) }
      const ask: Ask = async (at) => {
        const received = await request(at, { ...settings, ...ofCall })
        if (received.status === 200) return received
        throw new CanopyError(failureIn(received, names))
      }
      return answer(ask, url, given)
    }

  const storageDirItems = operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>(
    targets.storageDirItems,
    storageNames,
    page,
  )
  const userContentDirItems = operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>(
    targets.userContentDirItems,
    userContentNames,
    page,
  )
  return {
    storageTree: operation(targets.storageTree, storageNames, one(readTree)),
    userContentTree: operation(targets.userContentTree, userContentNames, one(readTree)),
    storageDirItems,
    userContentDirItems,
    triggerPeek: operation(targets.triggerPeek, triggerNames, one(readTrigger)),
    storageItems: (given, call) => items(() => storageDirItems(given, call), call?.signal),
    userContentItems: (given, call) => items(() => userContentDirItems(given, call), call?.signal),
    storagePages: (given, call) => pages(() => storageDirItems(given, call)),
    userContentPages: (given, call) => pages(() => userContentDirItems(given, call)),
  }
}
