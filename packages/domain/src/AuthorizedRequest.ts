import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import * as Area from './Area.js'
import type { Node } from './Entry.js'
import * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
import { listPage } from './listPages.js'
import type { ListEnv, ListOptions, NodeAtEnv, Signal } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'
import type { NodeVisibility } from './Visibility.js'

// The rule of freshness: a client never sees content that was added after its access ended, however slowly it reads.
//
//     ask the storage -> authorize again -> same access: judge the answer by it
//                                        -> other access: ask the storage once more, authorize again, judge
//
// Every storage call of an operation goes through `askStorage`, except for opening a file (File.ts). `visibilityNow` judges a path by the access that it returns.

/** What the registry allowed at one moment. */
export interface Access {
  readonly view: View
  /** The visibility of the requested path. */
  readonly visibility: NodeVisibility
}

/** A request that the registry has allowed. */
export interface AuthorizedRequest<F extends Failure.OfAccess> {
  readonly requested: StoragePath.RequestedPath
  readonly signal?: Signal | undefined
  readonly access: Access
  /** Reads the grant or the account, and the settings. Returns the same request again if access has not changed since. */
  readonly authorizeAgain: TE.TaskEither<F | Failure.External, AuthorizedRequest<F>>
  /** Fails with the failure that the client may see, given the storage's failure at the requested path. */
  readonly reject: (failure: Failure.OfStorage) => TE.TaskEither<F | Failure.OfStorage, never>
}

/** The storage's answer, and the request with the access that was read after it. */
export interface Answered<F extends Failure.OfAccess, A> {
  readonly answer: E.Either<Failure.OfStorage, A>
  readonly request: AuthorizedRequest<F>
}

type Asking<F extends Failure.OfAccess, S, A> = RTE.ReaderTaskEither<S, F | Failure.External, Answered<F, A>>

/** Runs one storage call, then asks the registry. */
const askOnce =
  <F extends Failure.OfAccess, A>(
    request: AuthorizedRequest<F>,
    call: TE.TaskEither<Failure.OfStorage, A>,
  ): TE.TaskEither<F | Failure.External, Answered<F, A>> =>
  () =>
    call().then((answer) => request.authorizeAgain().then(E.map((current) => ({ answer, request: current }))))

/**
 * Asks the storage, then the registry. If access has changed, asks both once more, because an adapter may have read the first
 * answer ahead, long before the change. The second answer is read during its call, so the access read after that call may judge
 * it, even if access has changed again.
 */
export const askStorage =
  <F extends Failure.OfAccess, S, A>(
    request: AuthorizedRequest<F>,
    ask: (area: Area.Area, isRepeated: boolean) => RTE.ReaderTaskEither<S, Failure.OfStorage, A>,
  ): Asking<F, S, A> =>
  (env) => {
    const first = askOnce(request, ask(request.access.view.area, false)(env))
    return () =>
      first().then((asked) => {
        if (E.isLeft(asked) || asked.right.request === request) return asked
        const current = asked.right.request
        return askOnce(current, ask(current.access.view.area, true)(env))()
      })
  }

/** {@link askStorage} for the node at a path. */
export const askNode = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  path: StoragePath.StoragePath,
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
  directory: StoragePath.StoragePath,
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

const noLongerShown = Failure.external(new Error('a directory became invisible while it was being read: retry'))

/**
 * Returns the visibility of the requested path, or of a path below it, by the access of the request:
 *
 * - some: the client may see it;
 * - none: it is no longer shown, so the answer omits it;
 * - left: a directory between the requested path and this one is no longer shown, and a part of it may have been sent.
 *
 * The authorization has judged the requested path itself.
 */
export const visibilityNow = (
  { requested, access: { view } }: Pick<AuthorizedRequest<never>, 'requested' | 'access'>,
  path: StoragePath.StoragePath,
): E.Either<Failure.External, O.Option<NodeVisibility>> => {
  const steps = Settings.stepsTo(view.settings, path)
  const below = steps.slice(StoragePath.segments(requested.path).length + 1)
  const withheld = below.findIndex(({ visibility }) => !view.shows(visibility))
  if (withheld === -1) return E.right(O.some(RNEA.last(steps).visibility))
  return withheld === below.length - 1 ? E.right(O.none) : E.left(noLongerShown)
}

/**
 * Runs a task for many callers, one run at a time. A run serves only callers that arrived before it began; later
 * callers share the next run. So each caller gets a reading that is later than its call. Not `singleFlight` of scheduling, because the
 * domain imports no other workspace package.
 */
const shareRuns = <F, A>(task: TE.TaskEither<F, A>): TE.TaskEither<F, A> => {
  // `latest` is queued or has begun.
  const runs: { latest: Promise<unknown>; queued?: ReturnType<typeof task> | undefined } = { latest: Promise.resolve() }
  const begin = (): ReturnType<typeof task> => {
    runs.queued = undefined
    return task()
  }
  return () => {
    runs.queued ??= runs.latest.then(begin)
    runs.latest = runs.queued
    return runs.queued
  }
}

interface Authorization<F extends Failure.OfAccess> extends Omit<AuthorizedRequest<F>, 'authorizeAgain' | 'reject'> {
  /** Reads the registry. Returns `last` itself if the registry returned the values that `last` was decided from. */
  readonly read: (last: Access) => TE.TaskEither<F, Access>
  readonly reject: (
    failure: Failure.OfStorage,
    request: AuthorizedRequest<F>,
  ) => TE.TaskEither<F | Failure.OfStorage, never>
}

const areaMoved = Failure.external(new Error('the area of the account was moved while it was being read: retry'))

/** Builds a request from the first authorization. One request never mixes two areas. */
export const authorizedRequest = <F extends Failure.OfAccess>({
  requested,
  signal,
  access: first,
  read,
  reject,
}: Authorization<F>): AuthorizedRequest<F> => {
  const withAccess = (access: Access): AuthorizedRequest<F> => {
    const request: AuthorizedRequest<F> = {
      requested,
      signal,
      access,
      authorizeAgain,
      reject: (failure) => reject(failure, request),
    }
    return request
  }
  const authorizeAgain: AuthorizedRequest<F>['authorizeAgain'] = shareRuns(() => {
    const { last } = requests
    return read(last.access)().then((result) => {
      if (E.isLeft(result)) return result
      const access = result.right
      if (access === last.access) return E.right(last)
      if (!Area.isSame(access.view.area, first.view.area)) return E.left(areaMoved)
      requests.last = withAccess(access)
      return E.right(requests.last)
    })
  })
  const requests = { last: withAccess(first) }
  return requests.last
}
