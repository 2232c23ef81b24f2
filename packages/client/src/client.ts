import {
  type Call,
  CanopyError,
  type Failure,
  type FileFailure,
  fileErrors,
  type StorageFailure,
  storageErrors,
  type TriggerFailure,
  triggerErrors,
  type UserContentFailure,
  userContentErrors,
} from './failures.js'
import { fetchFile } from './files.js'
import { fetchPage, iterateItems, iteratePages, type Page } from './pages.js'
import { type CallOptions, type Fetch, type HttpResponse, type RequestOptions, sendRequest } from './request.js'
import {
  type DirectoryItem,
  decodeFailure,
  decodeTree,
  decodeTrigger,
  type PeekedTrigger,
  type TreeNode,
  type WalkedNode,
} from './responses.js'
import {
  type FileRequest,
  fileTarget,
  malformedInput,
  normalizeBaseUrl,
  type StorageDirItemsRequest,
  type StorageTreeRequest,
  type TriggerPeekRequest,
  targets,
  type UserContentDirItemsRequest,
  type UserContentTreeRequest,
  type WalkRequest,
} from './targets.js'
import { walkTree } from './walk.js'

/** `undefined` means the same as a missing option. */
export interface ClientOptions {
  /** The address of the service: `https://files.example` or `http://127.0.0.1:8080/base`. */
  readonly baseUrl: string
  /** Default: the global one. */
  readonly fetch?: Fetch | undefined
  /** Attempts after the first, if the response is missing or incomplete, and on 429, 502, 503 and 504. Default: 2. */
  readonly retries?: number | undefined
  /** Delay before the first retry; it doubles each time, up to 10 seconds. Default: 250. */
  readonly backOffMs?: number | undefined
  /** For one call, including retries and waits. Default: 30,000. From 2^31 on: no limit. */
  readonly timeoutMs?: number | undefined
}

type Operation<Request, F extends Failure, A> = (request: Request, call?: CallOptions) => Call<A, F>
type Loop<Request, A> = (request: Request, call?: CallOptions) => AsyncIterable<A>

/**
 * The five operations, and for each listing a loop over its items or its pages. All reject with a CanopyError, whose
 * failure is listed here or a `CallFailure`.
 */
export interface Client {
  /**
   * Returns a node of the token's area with its subtree, or down to `depth`. `invalid token`, `not verified`, `permission
   * denied` (outside the token's scope), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly storageTree: Operation<StorageTreeRequest, StorageFailure, TreeNode>
  /**
   * Returns a node of a user's area as visitors see it, with its subtree, or down to `depth`. `permission denied` (private, or
   * no such user), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly userContentTree: Operation<UserContentTreeRequest, UserContentFailure, TreeNode>
  /**
   * Returns the items of a directory in the token's area: all, or `limit` on a page. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly storageDirItems: Operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>
  /**
   * Returns the items of a directory in a user's area that visitors see: all, or `limit` on a page. `permission denied`
   * (private, or no such user), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly userContentDirItems: Operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>
  /** Reads a trigger without firing it. `trigger not found` (unknown, expired or deleted), `external`. */
  readonly triggerPeek: Operation<TriggerPeekRequest, TriggerFailure, PeekedTrigger>
  /**
   * Requests a file, or a directory as an archive, if the service serves files. Resolves when the head has come: read `body`, or call `blob()`,
   * which rejects if the response is cut. Fails as the tree operation of the same client, and with `too large` for an archive.
   */
  readonly file: Operation<FileRequest, FileFailure, Response>
  /** Returns the URL of a file. With a token it is a secret: never navigate to it. Throws a CanopyError on malformed input. */
  readonly fileUrl: (request: FileRequest) => string
  /** A loop over the items of all pages, which it requests one by one. Fails as `storageDirItems` does. */
  readonly storageItems: Loop<StorageDirItemsRequest, DirectoryItem>
  /** A loop over the items of all pages, which it requests one by one. Fails as `userContentDirItems` does. */
  readonly userContentItems: Loop<UserContentDirItemsRequest, DirectoryItem>
  /**
   * A loop over a node and all nodes below it that the client may see, depth first, in constant memory. It continues by itself
   * where a response ends early. Fails as `storageTree` does with a token, as `userContentTree` does with a user.
   */
  readonly walk: Loop<WalkRequest, WalkedNode>
  /** A loop over the pages, which it requests one by one. Fails as `storageDirItems` does. */
  readonly storagePages: Loop<StorageDirItemsRequest, Page<StorageFailure>>
  /** A loop over the pages, which it requests one by one. Fails as `userContentDirItems` does. */
  readonly userContentPages: Loop<UserContentDirItemsRequest, Page<UserContentFailure>>
}

const checkNumber = (name: string, given: number, isValid: boolean, expected: string): number =>
  typeof given === 'number' && isValid ? given : malformedInput(`${name} must be a number of ${expected}`)

const checkTimeout = (given: number): number => checkNumber('timeoutMs', given, given > 0, 'milliseconds above 0')

type Get = (url: string) => Promise<HttpResponse>
type Answer<Request, A> = (get: Get, url: string, request: Request) => Promise<A>

const decodeWith =
  <A>(decode: (response: HttpResponse) => A): Answer<unknown, A> =>
  async (get, url) =>
    decode(await get(url))

const page = <F extends Failure>(get: Get, url: string, { after }: { readonly after?: string | undefined }) =>
  fetchPage<F>(get, url, after)

type Service = Omit<RequestOptions, 'signal'>

const checkOptions = ({
  baseUrl,
  fetch: ownFetch,
  retries = 2,
  backOffMs = 250,
  timeoutMs = 30_000,
}: ClientOptions): Service => ({
  baseUrl: normalizeBaseUrl(baseUrl),
  fetch: ownFetch ?? ((url, init) => fetch(url, init)),
  retries: checkNumber('retries', retries, retries >= 0, 'attempts from 0'),
  backOffMs: checkNumber('backOffMs', backOffMs, backOffMs >= 0, 'milliseconds from 0'),
  timeoutMs: checkTimeout(timeoutMs),
})

const optionsOf = (service: Service, { signal, timeoutMs = service.timeoutMs }: CallOptions = {}): RequestOptions => ({
  ...service,
  signal,
  timeoutMs: checkTimeout(timeoutMs),
})

/** Builds an operation of the service. Async, so that malformed input rejects as other failures do. */
const operationOf =
  (service: Service) =>
  <Request, F extends Failure, A>(
    target: (request: Request) => string,
    errors: ReadonlyArray<F['error']>,
    answer: Answer<Request, A>,
  ): Operation<Request, F, A> =>
  async (request, call) => {
    const options = optionsOf(service, call)
    const get: Get = async (url) => {
      const response = await sendRequest(url, options)
      if (response.status === 200) return response
      throw new CanopyError(decodeFailure(response, errors))
    }
    return answer(get, `${service.baseUrl}${target(request)}`, request)
  }

/** Creates a client of one service. Throws a CanopyError if an option is malformed. */
export const createClient = (options: ClientOptions): Client => {
  const service = checkOptions(options)
  const operation = operationOf(service)
  const fileUrl = (request: FileRequest): string => `${service.baseUrl}${fileTarget(request)}`
  const storageDirItems = operation<StorageDirItemsRequest, StorageFailure, Page<StorageFailure>>(
    targets.storageDirItems,
    storageErrors,
    page,
  )
  const userContentDirItems = operation<UserContentDirItemsRequest, UserContentFailure, Page<UserContentFailure>>(
    targets.userContentDirItems,
    userContentErrors,
    page,
  )
  return {
    storageTree: operation(targets.storageTree, storageErrors, decodeWith(decodeTree)),
    userContentTree: operation(targets.userContentTree, userContentErrors, decodeWith(decodeTree)),
    storageDirItems,
    userContentDirItems,
    triggerPeek: operation(targets.triggerPeek, triggerErrors, decodeWith(decodeTrigger)),
    walk: (request, call) => ({ [Symbol.asyncIterator]: () => walkTree(request, optionsOf(service, call)) }),
    file: async (request, call) => fetchFile(fileUrl(request), optionsOf(service, call), fileErrors),
    fileUrl,
    storageItems: (request, call) => iterateItems(() => storageDirItems(request, call), call?.signal),
    userContentItems: (request, call) => iterateItems(() => userContentDirItems(request, call), call?.signal),
    storagePages: (request, call) => iteratePages(() => storageDirItems(request, call)),
    userContentPages: (request, call) => iteratePages(() => userContentDirItems(request, call)),
  }
}
