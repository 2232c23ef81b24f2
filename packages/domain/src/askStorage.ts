import * as E from 'fp-ts/lib/Either.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Area } from './Area.js'
import type { AuthorizedRequest } from './AuthorizedRequest.js'
import type { Node } from './Entry.js'
import type * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
import { listPage } from './listPages.js'
import type { ListEnv, ListOptions, NodeAtEnv } from './ports.js'
import type { StoragePath } from './StoragePath.js'

// The rule of freshness: a client never sees content that was added after its access ended, however slowly it reads.
//
//     ask the storage -> authorize again -> same access: judge the answer by it
//                                        -> other access: ask the storage once more, authorize again, judge
//
// Every storage call of an operation goes through `askStorage`, except for opening a file (File.ts). `visibilityNow` judges a path by
// the access that it returns.

/** The storage's answer, and the request with the access that was read after it. */
interface Answered<F extends Failure.OfAccess, A> {
  readonly answer: E.Either<Failure.OfStorage, A>
  readonly request: AuthorizedRequest<F>
}

type Asking<F extends Failure.OfAccess, S, A> = RTE.ReaderTaskEither<S, F | Failure.External, Answered<F, A>>

/**
 * Asks the storage, then the registry. If access has changed, asks both once more, because an adapter may have read the first
 * answer ahead, long before the change. The second answer is read during its call, so the access read after that call may judge
 * it, even if access has changed again.
 */
export const askStorage =
  <F extends Failure.OfAccess, S, A>(
    request: AuthorizedRequest<F>,
    ask: (area: Area, isRepeated: boolean) => RTE.ReaderTaskEither<S, Failure.OfStorage, A>,
  ): Asking<F, S, A> =>
  (env) => {
    const askOnce = ({ access, authorizeAgain }: AuthorizedRequest<F>, isRepeated: boolean) =>
      ask(
        access.view.area,
        isRepeated,
      )(env)().then((answer) =>
        authorizeAgain().then(E.map((current): Answered<F, A> => ({ answer, request: current }))),
      )
    return () =>
      askOnce(request, false).then((asked) =>
        E.isLeft(asked) || asked.right.request === request ? asked : askOnce(asked.right.request, true),
      )
  }

/** {@link askStorage} for the node at a path. */
export const askNode = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  path: StoragePath,
): Asking<F, NodeAtEnv, Node> =>
  askStorage(
    request,
    (area) =>
      ({ nodeAt }) =>
        nodeAt(area, path, { signal: request.signal }),
  )

/** {@link askStorage} for a page of a directory. A repeated call omits the earlier pages, so that the adapter reads again. */
export const askPage = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  directory: StoragePath,
  { after, minEntries, parent, previous }: ListOptions,
): Asking<F, ListEnv, Listing> =>
  askStorage(request, (area, isRepeated) =>
    listPage(area, directory, {
      after,
      minEntries,
      signal: request.signal,
      parent: isRepeated ? undefined : parent,
      previous: isRepeated ? undefined : previous,
    }),
  )
