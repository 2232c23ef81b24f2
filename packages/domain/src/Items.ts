import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as t from 'io-ts'
import * as Listing from './Listing.js'
import * as Name from './Name.js'
import type { ListEnv } from './ports.js'
import type { RequestedPath } from './StoragePath.js'
import * as U64 from './U64.js'
import { type View, visibleChildren } from './View.js'
import * as Visibility from './Visibility.js'

/** One element of a directory listing (interface, part 2). */
export interface DirectoryItem {
  readonly visibility: Visibility.NodeVisibility
  readonly is_file: boolean
  readonly name: Name.Name
  /** In seconds since 1970. */
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

export const fromEntry = (entry: Listing.Entry, visibility: Visibility.NodeVisibility): DirectoryItem => ({
  visibility,
  is_file: entry.type === 'file',
  name: entry.name,
  last_modified: entry.last_modified,
  size: entry.type === 'file' ? entry.size : U64.zero,
})

export const json = ({ visibility, is_file, name, last_modified, size }: DirectoryItem): string =>
  `{"visibility":${Visibility.json(visibility)},"is_file":${is_file},"name":"${Name.escaped(name)}","last_modified":${U64.json(last_modified)},"size":${U64.json(size)}}`

/** Which items of a directory are asked for, in byte order of their names. */
export interface Page {
  /** How many items at most; `none` for all. */
  readonly limit: O.Option<number>
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after: O.Option<string>
}

/** All items, on one page. */
export const wholeListing: Page = { limit: O.none, after: O.none }

/** The items of an answer, made while they are read. */
export interface Items {
  /** From the page's start to the directory's end; `undefined` for an entry that is not shown, so that a reader can stop there too. */
  readonly items: Iterable<DirectoryItem | undefined>
  /** There are no more items on the page than this; entries that are not shown count too. If an item follows, there is a next page. */
  readonly most: number
}

/** The items directly in a directory that the asker may see, in byte order of their names. */
export const itemsAt =
  ({ path }: RequestedPath, { limit, after }: Page) =>
  (view: View) =>
    pipe(
      (env: ListEnv) => env.list(view.area, path),
      RTE.flatMapEither((listing) => {
        const from = O.isNone(after) ? 0 : Listing.indexAfter(listing.entries, after.value)
        const left = listing.entries.length - from
        return pipe(
          listing,
          visibleChildren(view, path, fromEntry, from),
          E.map((items): Items => ({ items, most: O.isNone(limit) ? left : Math.min(limit.value, left) })),
        )
      }),
    )

/** The whole page in memory. */
export const collect = ({
  items,
  most,
}: Items): { readonly items: ReadonlyArray<DirectoryItem>; readonly more: boolean } => {
  const page: Array<DirectoryItem> = []
  for (const item of items) {
    if (item === undefined) continue
    if (page.length === most) return { items: page, more: true }
    page.push(item)
  }
  return { items: page, more: false }
}
