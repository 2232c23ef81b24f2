import { type DirectoryItem, type Failure, Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ask, CallOptions } from './asking.js'
import type { Received } from './exchange.js'
import { nextUrl } from './nextUrl.js'
import type { Page } from './Page.js'
import { readItems } from './readAnswer.js'
import { type TransportFailure, wrongShape } from './TransportFailure.js'

interface PageAt {
  readonly url: string
  /** The last name of the page before; for the first page, the `after` that was asked for. */
  readonly after: O.Option<Name.Name>
}

interface Found {
  readonly items: ReadonlyArray<DirectoryItem.DirectoryItem>
  readonly next: O.Option<PageAt>
}

/** In byte order, none twice, all of them after the name where there is one. */
const inOrder = (items: Found['items'], after: O.Option<Name.Name>): boolean =>
  items.every(({ name }, index) => {
    const before = items[index - 1]?.name ?? O.toUndefined(after)
    return before === undefined || Name.byBytes.compare(name, before) > 0
  })

/**
 * Each page must lead further, so that following them comes to an end whatever the service says. Only a listing that is
 * all of a directory, with nothing before it and nothing after, may have any order.
 */
const readPage =
  ({ url, after }: PageAt) =>
  (received: Received): E.Either<TransportFailure, Found> =>
    pipe(
      E.Do,
      E.bind('items', () => readItems(received)),
      E.bindW('link', () => nextUrl(url, received)),
      E.filterOrElseW(
        ({ items, link }) => (O.isNone(after) && O.isNone(link)) || inOrder(items, after),
        () => wrongShape(received.status, 'content'),
      ),
      E.bindW('next', ({ items, link }) =>
        pipe(
          link,
          O.traverse(E.Applicative)((to) =>
            pipe(
              RA.last(items),
              E.fromOption(() => wrongShape(received.status, 'Link')),
              E.map(({ name }): PageAt => ({ url: to, after: O.some(name) })),
            ),
          ),
        ),
      ),
    )

/** The page of a listing at a URL, which asks for the items after a name where there is one, with the way to the next. */
export const listing = <F extends { readonly error: Failure.FailureName }>(
  ask: Ask,
  column: ReadonlyArray<F['error']>,
  url: string,
  after: Name.Name | undefined,
  call: CallOptions,
): TE.TaskEither<F | TransportFailure, Page<F | TransportFailure>> => {
  const pageAt = (at: PageAt): TE.TaskEither<F | TransportFailure, Page<F | TransportFailure>> =>
    pipe(
      ask<F, Found>(column, readPage(at), at.url, call),
      TE.map(({ items, next }) => ({ items, next: pipe(next, O.map(pageAt)) })),
    )
  return pageAt({ url, after: O.fromNullable(after) })
}
