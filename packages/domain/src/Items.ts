import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { AuthorizedRequest } from './AuthorizedRequest.js'
import { askPage } from './askStorage.js'
import type { Entry } from './Entry.js'
import type * as Failure from './Failure.js'
import { optionalField, wholeNumber } from './fields.js'
import * as Listing from './Listing.js'
import * as Name from './Name.js'
import type { ListEnv } from './ports.js'
import * as U64 from './U64.js'
import { visibleChildren } from './View.js'
import * as Visibility from './Visibility.js'

/** One element of a directory listing: `ITEM` in docs/http-api.md. */
export interface DirectoryItem {
  readonly visibility: Visibility.NodeVisibility
  readonly is_file: boolean
  readonly name: Name.Name
  /** Unix time in seconds. */
  readonly last_modified: U64.U64
  /** In bytes; 0 for a directory. */
  readonly size: U64.U64
}

export const codec = t.readonly(
  t.type({
    visibility: Visibility.nodeCodec,
    is_file: t.boolean,
    name: Name.codec,
    last_modified: U64.codec,
    size: U64.codec,
  }),
  'DirectoryItem',
)

export const fromEntry = (entry: Entry, visibility: Visibility.NodeVisibility): DirectoryItem => ({
  visibility,
  is_file: entry.type === 'file',
  name: entry.name,
  last_modified: entry.last_modified,
  size: entry.type === 'file' ? entry.size : U64.zero,
})

export const json = ({ visibility, is_file, name, last_modified, size }: DirectoryItem): string =>
  `{"visibility":${Visibility.json(visibility)},"is_file":${is_file},"name":"${Name.escaped(name)}","last_modified":${U64.json(last_modified)},"size":${U64.json(size)}}`

/** The requested part of a directory. Built by {@link bounds}. */
export type Bounds = BoundsFields & { readonly Bounds: unique symbol }

interface BoundsFields {
  /** Maximum number of items; all by default. */
  readonly limit: O.Option<number>
  /** Only items whose names follow this one in byte order. It need not exist. */
  readonly after: O.Option<string>
}

/** Left: the invalid field. `limit` is a whole number of at least 1, also in canonical decimal text. */
export const bounds = (fields: {
  readonly limit?: number | string | undefined
  readonly after?: string | undefined
}): E.Either<'limit', Bounds> =>
  pipe(
    optionalField('limit', fields.limit, wholeNumber(1)),
    E.map((limit) => ({ limit, after: O.fromNullable(fields.after) }) satisfies BoundsFields as Bounds),
  )

/** All items. */
export const unbounded = { limit: O.none, after: O.none } satisfies BoundsFields as Bounds

type ListingFailure = Failure.OfAccess | Failure.OfStorage

/** The items of one page that the storage returned. */
export interface ItemsPage {
  /** Lazy. Entries that are not shown appear as `undefined`, so that a consumer can yield to other work between them. */
  readonly items: Iterable<DirectoryItem | undefined>
  /** The number of `items`, including each `undefined`. */
  readonly maxItems: number
  /** Whether this storage pages its listings at all. */
  readonly isPaged: boolean
  /** Reads the next page of the storage. Absent on the last page. */
  readonly next: O.Option<TE.TaskEither<ListingFailure, ItemsPage>>
}

/** A listing: the first page of the storage, and how many items the client requested. */
export interface Items extends ItemsPage {
  readonly limit: O.Option<number>
}

/** Above this limit the adapter chooses the page size, so that a large request does not slow a single call. */
const maxLimitOfCall = 1000

const readPage =
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
    { limit, after: afterName }: BoundsFields,
    previous?: Listing.Listing,
  ): RTE.ReaderTaskEither<ListEnv, F | Failure.OfStorage, ItemsPage> =>
  (env) => {
    const { path } = request.requested
    const after = O.toUndefined(afterName)
    const minEntries = pipe(
      limit,
      O.filter((count) => count <= maxLimitOfCall),
      // One more entry tells whether another item follows.
      O.map((count) => count + 1),
      O.toUndefined,
    )
    const ask = askPage(request, path, { after, minEntries, previous })
    return () =>
      ask(env)().then((asked): ReturnType<TE.TaskEither<F | Failure.OfStorage, ItemsPage>> => {
        if (E.isLeft(asked)) return Promise.resolve(asked)
        const { answer, request: current } = asked.right
        if (E.isLeft(answer)) return current.reject(answer.left)()
        const listing = answer.right
        const { view, visibility } = current.access
        const start = Listing.indexAfter(listing.entries, after ?? '')
        const nextFrom = (name: string) => readPage(current, { limit, after: O.some(name) }, listing)(env)
        const page = pipe(
          visibleChildren(view, path, fromEntry, { start, visibility })(listing),
          E.map((items) => ({
            items,
            maxItems: listing.entries.length - start,
            isPaged: listing.isPaged === true,
            next: pipe(O.fromNullable(listing.next), O.map(nextFrom)),
          })),
        )
        return E.isLeft(page) ? current.reject(page.left)() : Promise.resolve(page)
      })
  }

/** Returns the items directly in the requested directory that the client may see, in byte order of their names. */
export const itemsAt =
  (requested: Bounds) =>
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
  ): RTE.ReaderTaskEither<ListEnv, F | Failure.OfStorage, Items> =>
    pipe(
      readPage(request, requested),
      RTE.map((first) => ({ ...first, limit: requested.limit })),
    )

/** The items of a listing in memory, and whether more follow. */
export interface CollectedItems {
  readonly items: ReadonlyArray<DirectoryItem>
  readonly more: boolean
}

/** Reads the pages of the storage until the listing is complete or the limit is exceeded. */
export const collect =
  (listing: Items): TE.TaskEither<ListingFailure, CollectedItems> =>
  () => {
    const limit = O.toUndefined(listing.limit)
    const items: Array<DirectoryItem> = []
    const readFrom = (page: ItemsPage): TE.TaskEither<ListingFailure, CollectedItems> => {
      for (const item of page.items) {
        if (item === undefined) continue
        if (items.length === limit) return TE.right({ items, more: true })
        items.push(item)
      }
      return pipe(
        page.next,
        O.match(() => TE.right({ items, more: false }), TE.flatMap(readFrom)),
      )
    }
    return readFrom(listing)()
  }
