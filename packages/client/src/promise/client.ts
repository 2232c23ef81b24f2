import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CallOptions, ClientOptions as TypedOptions } from '../asking.js'
import * as Typed from '../client.js'
import * as Input from '../Input.js'
import { items } from '../items.js'
import { malformed } from '../MalformedInput.js'
import type { Page as TypedPage } from '../Page.js'
import type { PeekedTrigger } from '../PeekedTrigger.js'
import { pages } from '../pages.js'
import type { AnyCause } from './CanopyError.js'
import { checkedOptions } from './checkedOptions.js'
import * as requests from './requests.js'
import { settle } from './settle.js'
import type { DirectoryItem, Page, TreeNode } from './values.js'

/** How a client asks. An option that is `undefined` is as good as left out. */
export interface ClientOptions extends Omit<TypedOptions, 'baseUrl'> {
  /** `https://files.example` or `http://127.0.0.1:8080/base`. */
  readonly baseUrl: string
}

type Operation<Request, A> = (request: Request, call?: CallOptions) => Promise<A>
type Iteration<Request, A> = (request: Request, call?: CallOptions) => AsyncIterable<A>

/**
 * The five operations, and for each listing a loop over its items or its pages. All reject with a CanopyError; beside
 * what each names here, its `error` may be `malformed input` or `transport`.
 */
export interface Client {
  /**
   * A node of the area that a token opens, with all below it, or down to `depth`. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly storageTree: Operation<requests.StorageTreeRequest, TreeNode>
  /**
   * A node of a user's area as any visitor sees it, with all below it, or down to `depth`. `permission denied` (private, or
   * no such user), `file not found`, `type mismatch` (through a file), `external`.
   */
  readonly userContentTree: Operation<requests.UserContentTreeRequest, TreeNode>
  /**
   * The items of a directory in the area that a token opens: all, or `limit` on a page. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly storageDirItems: Operation<requests.StorageDirItemsRequest, Page>
  /**
   * The items of a directory of a user's area that any visitor sees: all, or `limit` on a page. `permission denied`
   * (private, or no such user), `file not found`, `type mismatch` (of a file), `external`.
   */
  readonly userContentDirItems: Operation<requests.UserContentDirItemsRequest, Page>
  /** What a trigger holds, without firing it. `trigger not found` (unknown, expired or deleted), `external`. */
  readonly triggerPeek: Operation<requests.TriggerPeekRequest, PeekedTrigger>
  /** A loop over the items of all pages, each asked for when the loop comes to it. Rejects as `storageDirItems` does. */
  readonly storageItems: Iteration<requests.StorageDirItemsRequest, DirectoryItem>
  /** The same of a user's area, as any visitor sees it. Rejects as `userContentDirItems` does. */
  readonly userContentItems: Iteration<requests.UserContentDirItemsRequest, DirectoryItem>
  /** A loop over the pages themselves, each asked for when the loop comes to it. Rejects as `storageDirItems` does. */
  readonly storagePages: Iteration<requests.StorageDirItemsRequest, Page>
  /** The same of a user's area, as any visitor sees it. Rejects as `userContentDirItems` does. */
  readonly userContentPages: Iteration<requests.UserContentDirItemsRequest, Page>
}

type Pages = TE.TaskEither<AnyCause, TypedPage<AnyCause>>

const run = async <A>(program: TE.TaskEither<AnyCause, A>): Promise<A> => settle(await program())

const plainPage = ({ items: found, next }: TypedPage<AnyCause>): Page => ({
  items: found,
  ...(O.isSome(next) ? { next: () => runPage(next.value) } : {}),
})

const runPage = async (page: Pages): Promise<Page> => plainPage(await run(page))

const mapped = <A, B>(source: AsyncIterable<A>, f: (a: A) => B): AsyncIterable<B> => ({
  async *[Symbol.asyncIterator]() {
    for await (const a of source) yield f(a)
  },
})

/** The options are read once for both: for the pages, and for the loop between the items of one. */
const eachItem =
  <Request>(listing: (request: Request, call?: CallOptions) => Pages) =>
  (request: Request, call?: CallOptions): AsyncIterable<DirectoryItem> =>
    mapped(
      pipe(
        checkedOptions(call ?? {}),
        E.match(
          (problem) => items<AnyCause>(TE.left(problem)),
          (options) => items(listing(request, options), options),
        ),
      ),
      settle,
    )

const eachPage = (first: Pages): AsyncIterable<Page> => mapped(pages(first), flow(settle, plainPage))

/** A program without types may give anything: what cannot even be read is no request. */
const parsed = <Request, TypedRequest>(
  parse: (request: Request) => E.Either<Input.MalformedInput, TypedRequest>,
  request: Request,
): E.Either<Input.MalformedInput, TypedRequest> =>
  pipe(
    E.tryCatch(
      () => parse(request),
      () => malformed('the request must be an object, such as { user: 1, path: "/" }'),
    ),
    E.flatten,
  )

const asking =
  <Request, TypedRequest, A>(
    parse: (request: Request) => E.Either<Input.MalformedInput, TypedRequest>,
    operation: (request: TypedRequest, call?: CallOptions) => TE.TaskEither<AnyCause, A>,
  ) =>
  (request: Request, call?: CallOptions): TE.TaskEither<AnyCause, A> =>
    pipe(
      E.Do,
      E.bind('typed', () => parsed(parse, request)),
      E.bind('options', () => checkedOptions(call ?? {})),
      TE.fromEither,
      TE.flatMap(({ typed, options }) => operation(typed, options)),
    )

/** A client of one service. Throws a CanopyError when the base URL or an option is malformed. */
export const client = (options: ClientOptions): Client => {
  const { baseUrl, ...others } = settle(checkedOptions(options))
  const typed = Typed.client({ ...others, baseUrl: settle(Input.baseUrl(baseUrl)) })
  const storage: (request: requests.StorageDirItemsRequest, call?: CallOptions) => Pages = asking(
    requests.storageDirItems,
    typed.storageDirItems,
  )
  const userContent: (request: requests.UserContentDirItemsRequest, call?: CallOptions) => Pages = asking(
    requests.userContentDirItems,
    typed.userContentDirItems,
  )
  return {
    storageTree: flow(asking(requests.storageTree, typed.storageTree), run),
    userContentTree: flow(asking(requests.userContentTree, typed.userContentTree), run),
    storageDirItems: flow(storage, runPage),
    userContentDirItems: flow(userContent, runPage),
    triggerPeek: flow(asking(requests.triggerPeek, typed.triggerPeek), run),
    storageItems: eachItem(storage),
    userContentItems: eachItem(userContent),
    storagePages: flow(storage, eachPage),
    userContentPages: flow(userContent, eachPage),
  }
}
