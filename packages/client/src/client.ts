import { type DirectoryItem, failureIn, type PeekedTrigger, readTree, readTrigger, type TreeNode } from './answers.js'
import {
  type Call,
  CanopyError,
  type Failure,
  type StorageFailure,
  storageNames,
  type TriggerFailure,
  triggerNames,
  type UserContentFailure,
  userContentNames,
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

/** A program without types may pass anything, also what throws when it is read. */
const readInput = <A>(read: () => A, example: string): A => {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof CanopyError) throw thrown
    return malformedInput(example)
  }
}

const optionsExample = 'the options must be an object, such as { baseUrl: "http://127.0.0.1:8080", timeoutMs: 5000 }'
const requestExample = 'the request must be an object, such as { user: 1, path: "/" }'

/** NaN is in no bounds. */
const option = <A>(name: string, given: A, isRight: (given: A) => boolean, wanted: string): A =>
  isRight(given) ? given : malformedInput(`${name} must be ${wanted}`)

const fromZero = (n: number): boolean => typeof n === 'number' && n >= 0
const aboveZero = (n: number): boolean => typeof n === 'number' && n > 0
const isSignal = (given: AbortSignal | null): boolean =>
  given === null ||
  (typeof given.aborted === 'boolean' &&
    typeof given.addEventListener === 'function' &&
    typeof given.removeEventListener === 'function')

const timeoutOf = (given: number): number => option('timeoutMs', given, aboveZero, 'a number of milliseconds above 0')

const globalFetch: Fetch = (url, init) => fetch(url, init)

const clientSettings = ({
  baseUrl,
  fetch: ownFetch = globalFetch,
  retries = 2,
  backOffMs = 250,
  timeoutMs = 30_000,
}: ClientOptions) => ({
  baseUrl: baseUrlOf(baseUrl),
  fetch: option('fetch', ownFetch, (given) => typeof given === 'function', 'a function such as the global fetch'),
  retries: option('retries', retries, fromZero, 'a number of attempts from 0'),
  backOffMs: option('backOffMs', backOffMs, fromZero, 'a number of milliseconds from 0'),
  timeoutMs: timeoutOf(timeoutMs),
})

const callSettings = ({ signal, timeoutMs }: CallOptions, preset: number) => ({
  signal: option('signal', signal ?? null, isSignal, 'the signal of an AbortController'),
  timeoutMs: timeoutOf(timeoutMs === undefined ? preset : timeoutMs),
})

/** A client of one service. Throws a CanopyError when the base URL or another option is malformed. */
export const client = (options: ClientOptions): Client => {
  const { baseUrl, ...settings } = readInput(() => clientSettings(options), optionsExample)

  /** What all operations share: the URL of a request, and how to ask for it and for the pages that follow it. */
  const prepare = (target: () => string, names: ReadonlyArray<string>, call: CallOptions | undefined) => {
    const url = `${baseUrl}${readInput(target, requestExample)}`
    const callOptions = readInput(() => callSettings(call ?? {}, settings.timeoutMs), optionsExample)
    const ask = async (at: string): Promise<Received> => {
      const received = await request(at, { ...settings, ...callOptions })
      if (received.status === 200) return received
      throw new CanopyError(failureIn(received, names))
    }
    return { url, ask }
  }

  // These functions are async so that malformed input rejects as every other failure does.
  const operation =
    <Request, F extends Failure, A>(
      target: (request: Request) => string,
      names: ReadonlyArray<F['error']>,
      read: (received: Received) => A,
    ): Operation<Request, F, A> =>
    async (given, call) => {
      const { url, ask } = prepare(() => target(given), names, call)
      return read(await ask(url))
    }

  const listing =
    <Request extends { readonly after?: string | undefined }, F extends Failure>(
      target: (request: Request) => string,
      names: ReadonlyArray<F['error']>,
    ): Operation<Request, F, Page<F>> =>
    async (given, call) => {
      const { url, ask } = prepare(() => target(given), names, call)
      return pageAt<F>(ask, url, given.after)
    }

  const storageDirItems = listing<StorageDirItemsRequest, StorageFailure>(targets.storageDirItems, storageNames)
  const userContentDirItems = listing<UserContentDirItemsRequest, UserContentFailure>(
    targets.userContentDirItems,
    userContentNames,
  )
  return {
    storageTree: operation(targets.storageTree, storageNames, readTree),
    userContentTree: operation(targets.userContentTree, userContentNames, readTree),
    storageDirItems,
    userContentDirItems,
    triggerPeek: operation(targets.triggerPeek, triggerNames, readTrigger),
    storageItems: (given, call) =>
      items(
        () => storageDirItems(given, call),
        () => call?.signal,
      ),
    userContentItems: (given, call) =>
      items(
        () => userContentDirItems(given, call),
        () => call?.signal,
      ),
    storagePages: (given, call) => pages(() => storageDirItems(given, call)),
    userContentPages: (given, call) => pages(() => userContentDirItems(given, call)),
  }
}
