import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { newIORef } from 'fp-ts/lib/IORef.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Area from './Area.js'
import * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
import { listPage } from './listPages.js'
import type { ListEnv, ListOptions, Signal } from './ports.js'
import type { RequestedPath, StoragePath } from './StoragePath.js'
import type { View } from './View.js'
import type { NodeVisibility } from './Visibility.js'

/** What the registry allowed at one moment. */
export interface Access {
  readonly view: View
  /** The visibility of the requested path. */
  readonly visibility: NodeVisibility
}

/** A request that the registry has allowed. It can ask the registry again. */
export interface AuthorizedRequest<F extends Failure.OfAccess> {
  readonly requested: RequestedPath
  readonly signal?: Signal | undefined
  /** From the latest read of the registry. */
  readonly access: Access
  /** Reads the grant or the account, and the settings. Returns the same object until the registry returns other values. */
  readonly authorizeAgain: TE.TaskEither<F, Access>
  /** Replaces a storage failure at the requested path by the failure that the client may see. */
  readonly reject: (failure: Failure.OfStorage, access: Access) => TE.TaskEither<F | Failure.OfStorage, never>
}

/**
 * Runs a task for many callers, one run at a time. A run serves only callers that arrived before it began; later
 * callers share the next run. So each caller gets a reading that is later than its call.
 */
const shareRuns = <F, A>(task: TE.TaskEither<F, A>): TE.TaskEither<F, A> => {
  const last = newIORef<Promise<unknown>>(Promise.resolve())()
  const next = newIORef<ReturnType<typeof task> | undefined>(undefined)()
  const begin = (): ReturnType<typeof task> => {
    next.write(undefined)()
    return task()
  }
  return () => {
    const waiting = next.read() ?? last.read().then(begin)
    next.write(waiting)()
    last.write(waiting)()
    return waiting
  }
}

interface Authorization<F extends Failure.OfAccess>
  extends Pick<AuthorizedRequest<F>, 'requested' | 'signal' | 'access' | 'reject'> {
  /** Reads the registry; returns `last` itself if the registry returned the values that `last` was decided from. */
  readonly read: (last: Access) => TE.TaskEither<F, Access>
}

/** Wraps the result of the first authorization. */
export const authorizedRequest = <F extends Failure.OfAccess>({
  read,
  ...authorization
}: Authorization<F>): AuthorizedRequest<F> => {
  const latest = newIORef(authorization.access)()
  const readAgain: TE.TaskEither<F, Access> = () => read(latest.read())()
  return {
    ...authorization,
    authorizeAgain: shareRuns(
      pipe(
        readAgain,
        TE.tapIO((access) => latest.write(access)),
      ),
    ),
  }
}

/** The storage's answer, and the request with the access that was read from the registry after it. */
export interface Answered<F extends Failure.OfAccess, A> {
  readonly answer: E.Either<Failure.OfStorage, A>
  readonly request: AuthorizedRequest<F>
}

type Ask<S, A> = (area: Area.Area) => RTE.ReaderTaskEither<S, Failure.OfStorage, A>

export const areaMoved = Failure.external(new Error('the area of the account was moved while it was read: retry'))

type Asking<F extends Failure.OfAccess, S, A> = RTE.ReaderTaskEither<S, F | Failure.External, Answered<F, A>>

const askAndAuthorize =
  <F extends Failure.OfAccess, S, A>(
    request: AuthorizedRequest<F>,
    ask: Ask<S, A>,
    askAgain: Ask<S, A> | undefined,
  ): Asking<F, S, A> =>
  (env) =>
  () =>
    ask(request.access.view.area)(env)().then((answer) =>
      request.authorizeAgain().then((authorized) => {
        if (E.isLeft(authorized)) return authorized
        const access = authorized.right
        if (access === request.access) return E.right({ answer, request })
        if (!Area.isSame(access.view.area, request.access.view.area)) return E.left(areaMoved)
        const current = { ...request, access }
        return askAgain === undefined
          ? E.right({ answer, request: current })
          : askAndAuthorize(current, askAgain, undefined)(env)()
      }),
    )

/**
 * Implements the rule of freshness: asks the storage, *then* the registry. The caller judges the answer by the access in the
 * returned `request`, which was read after it. A client therefore never sees content that was added after its access ended,
 * however slowly it reads. Every storage call of an operation goes through here.
 *
 * If the registry's decision has changed, asks the storage once more, because a caching adapter may have returned an answer that
 * is older than the change (see {@link ListEnv}). One request never mixes two areas.
 */
export const askStorage = <F extends Failure.OfAccess, S, A>(
  request: AuthorizedRequest<F>,
  ask: Ask<S, A>,
  askAgain: Ask<S, A> = ask,
): Asking<F, S, A> => askAndAuthorize(request, ask, askAgain)

/** {@link askStorage} for a page of a directory. Its second call omits the earlier pages, so that the adapter reads again. */
export const askPage = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  directory: StoragePath,
  { after, minEntries, parent, previous }: ListOptions,
): RTE.ReaderTaskEither<ListEnv, F | Failure.External, Answered<F, Listing>> => {
  const { signal } = request
  return askStorage(
    request,
    (area) => listPage(area, directory, { after, minEntries, parent, previous, signal }),
    (area) => listPage(area, directory, { after, minEntries, signal }),
  )
}
