import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccessToken from './AccessToken.js'
import * as Area from './Area.js'
import type { Access, AuthorizedRequest } from './AuthorizedRequest.js'
import { concealMismatch } from './concealMismatch.js'
import * as Failure from './Failure.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, NodeAtEnv, SettingsOfEnv, Signal } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import * as UserId from './UserId.js'
import * as View from './View.js'

/** The common part of both requests: raw text of the request target, still percent-encoded. */
interface PathRequest {
  /**
   * The percent-encoded path after the token or the user id: `''`, `/`, or `/a%20b/c` with at most one trailing slash,
   * which requires a directory.
   */
  readonly path: string
  /** Aborts when the client leaves. */
  readonly signal?: Signal | undefined
}

/** A request from an owner. */
export interface StorageRequest extends PathRequest {
  /** One segment: `cnp_` and 43 characters of base64url. A secret. */
  readonly token: string
}

/** A request from a visitor. */
export interface UserContentRequest extends PathRequest {
  /** One segment: the user id in canonical decimal, such as `42`. */
  readonly user: string
}

type Authorizing<F extends Failure.OfAccess> = TE.TaskEither<F | Failure.FileNotFound, AuthorizedRequest<F>>

/** Reports whether the registry still returns the values that `last` was decided from. */
const isCurrent = (last: Access | undefined, area: Area.Area, settings: Settings.Settings): last is Access =>
  last !== undefined && Area.isSame(last.view.area, area) && last.view.settings === settings

const isInScope = ({ scope }: Area.Grant, path: StoragePath.StoragePath): boolean => StoragePath.contains(scope)(path)

const ownerAccess = (area: Area.Area, settings: Settings.Settings, path: StoragePath.StoragePath): Access => ({
  view: View.ofOwner(area, settings),
  visibility: Settings.visibilityAt(settings, path),
})

type OwnerEnv = AreaOfTokenEnv & SettingsOfEnv
type OwnerFailure = Failure.InvalidToken | Failure.NotVerified | Failure.PermissionDenied | Failure.External

/** Reads the grant and the settings concurrently, because the owner of a token never changes. */
const readOwnerAccess =
  (token: AccessToken.AccessToken, path: StoragePath.StoragePath, last: Access) =>
  (env: OwnerEnv): TE.TaskEither<OwnerFailure, Access> =>
  () =>
    Promise.all([env.areaOfToken(token)(), env.settingsOf(last.view.area.owner)()]).then(([grant, settings]) => {
      if (E.isLeft(grant)) return grant
      if (E.isLeft(settings)) return settings
      const { area } = grant.right
      if (!isInScope(grant.right, path)) return E.left(Failure.permissionDenied)
      return E.right(isCurrent(last, area, settings.right) ? last : ownerAccess(area, settings.right, path))
    })

/** Checks the token, the account, the path's syntax and the scope, in this order. */
export const authorizeOwner =
  ({ token, path, signal }: StorageRequest) =>
  (env: OwnerEnv): Authorizing<OwnerFailure> => {
    const accessToken = AccessToken.fromRawSegment(token)
    if (O.isNone(accessToken)) return TE.left(Failure.invalidToken)
    return pipe(
      env.areaOfToken(accessToken.value),
      TE.flatMap((grant): Authorizing<OwnerFailure> => {
        const requested = StoragePath.fromRaw(path)
        if (O.isNone(requested)) return TE.left(Failure.fileNotFound)
        const at = requested.value.path
        if (!isInScope(grant, at)) return TE.left(Failure.permissionDenied)
        return pipe(
          env.settingsOf(grant.area.owner),
          TE.map((settings) =>
            authorizedRequest<OwnerFailure>({
              requested: requested.value,
              signal,
              access: ownerAccess(grant.area, settings, at),
              read: (last) => readOwnerAccess(accessToken.value, at, last)(env),
              reject: TE.left,
            }),
          ),
        )
      }),
    )
  }

type VisitorEnv = AreaOfUserEnv & SettingsOfEnv & NodeAtEnv
type VisitorFailure = Failure.PermissionDenied | Failure.External

/** Reads settings and account before it decides, so that unknown, unverified and private accounts take the same time. */
const readVisitorAccess =
  (user: UserId.UserId, path: StoragePath.StoragePath, last?: Access) =>
  (env: AreaOfUserEnv & SettingsOfEnv): TE.TaskEither<VisitorFailure, Access> =>
  () =>
    Promise.all([env.settingsOf(user)(), env.areaOfUser(user)()]).then(([settings, area]) => {
      if (E.isLeft(settings)) return settings
      if (E.isRight(area) && isCurrent(last, area.right, settings.right)) return E.right(last)
      // Before the account's failure, so that a missing account costs the same.
      const visibility = Settings.visibilityAt(settings.right, path)
      if (E.isLeft(area)) return area
      const view = View.ofVisitor(area.right, settings.right)
      return view.mayRequest(visibility) ? E.right({ view, visibility }) : E.left(Failure.permissionDenied)
    })

/** Checks the path's syntax, the form of the user id, then whether a visitor may request the path. */
export const authorizeVisitor =
  ({ user, path, signal }: UserContentRequest) =>
  (env: VisitorEnv): Authorizing<VisitorFailure> => {
    const requested = StoragePath.fromRaw(path)
    if (O.isNone(requested)) return TE.left(Failure.fileNotFound)
    const id = UserId.fromRawSegment(user)
    if (O.isNone(id)) return TE.left(Failure.permissionDenied)
    const read = (last?: Access) => readVisitorAccess(id.value, requested.value.path, last)(env)
    return pipe(
      read(),
      TE.map((access) =>
        authorizedRequest<VisitorFailure>({
          requested: requested.value,
          signal,
          access,
          read,
          reject: (failure, current) => concealMismatch(current, failure)(env),
        }),
      ),
    )
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

/**
 * Runs a task for many callers, one run at a time. Callers that arrive during a run share the next one, so that each gets a reading
 * that began after its call. Not `singleFlight` of scheduling, because the domain imports no other workspace package.
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
