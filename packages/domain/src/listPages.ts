import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Area } from './Area.js'
import * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
import * as Name from './Name.js'
import type { ListEnv, ListOptions } from './ports.js'
import type { StoragePath } from './StoragePath.js'

type Listed<A> = RTE.ReaderTaskEither<ListEnv, Failure.OfStorage, A>

const noProgress = Failure.external(new Error('the storage returned a page that does not advance'))

/** Returns one page of a directory; `external` if its `next` does not follow `after`, because paging would never end. */
export const listPage =
  (area: Area, directory: StoragePath, options: ListOptions): Listed<Listing> =>
  ({ list }) =>
  () =>
    list(area, directory, options)().then((answer) => {
      const end = E.isRight(answer) ? answer.right.next : undefined
      return end === undefined || Name.byBytes.compare(end, options.after ?? '') > 0 ? answer : E.left(noProgress)
    })

/** Returns all pages of a directory, for programs that may see everything. */
export const listPages = (
  area: Area,
  directory: StoragePath,
  options: ListOptions = {},
): Listed<ReadonlyArray<Listing>> =>
  pipe(
    listPage(area, directory, options),
    RTE.flatMap((page) =>
      page.next === undefined
        ? RTE.right([page])
        : pipe(
            listPages(area, directory, { ...options, after: page.next, previous: page }),
            RTE.map((rest) => [page, ...rest]),
          ),
    ),
  )
