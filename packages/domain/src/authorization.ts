import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccessToken from './AccessToken.js'
import * as Area from './Area.js'
import { type Access, type AuthorizedRequest, authorizedRequest } from './AuthorizedRequest.js'
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

const parsePath = (raw: string) =>
  pipe(
    StoragePath.fromRaw(raw),
    RTE.fromOption(() => Failure.fileNotFound),
  )

const settingsOf = (owner: UserId.UserId) => (env: SettingsOfEnv) => env.settingsOf(owner)
const areaOfToken = (token: AccessToken.AccessToken) => (env: AreaOfTokenEnv) => env.areaOfToken(token)

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
export const authorizeOwner = ({ token, path, signal }: StorageRequest) =>
  pipe(
    AccessToken.fromRawSegment(token),
    RTE.fromOption(() => Failure.invalidToken),
    RTE.bindTo('accessToken'),
    RTE.bindW('grant', ({ accessToken }) => areaOfToken(accessToken)),
    RTE.bindW('requested', () => parsePath(path)),
    RTE.filterOrElseW(
      ({ grant, requested }) => isInScope(grant, requested.path),
      () => Failure.permissionDenied,
    ),
    RTE.bindW('settings', ({ grant }) => settingsOf(grant.area.owner)),
    RTE.bindW('env', () => RTE.ask<OwnerEnv>()),
    RTE.map(({ accessToken, grant, requested, settings, env }) =>
      authorizedRequest<OwnerFailure>({
        requested,
        signal,
        access: ownerAccess(grant.area, settings, requested.path),
        read: (last) => readOwnerAccess(accessToken, requested.path, last)(env),
        reject: (failure) => TE.left(failure),
      }),
    ),
  )

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
      const visibility = Settings.visibilityAt(settings.right, path)
      if (E.isLeft(area)) return area
      if (!View.visitorReaches(visibility)) return E.left(Failure.permissionDenied)
      return E.right({ view: View.ofVisitor(area.right, settings.right), visibility })
    })

/** Checks the path's syntax, the form of the user id, then whether a visitor may request the path. */
export const authorizeVisitor = ({ user, path, signal }: UserContentRequest) =>
  pipe(
    parsePath(path),
    RTE.bindTo('requested'),
    RTE.bindW('id', () =>
      pipe(
        UserId.fromRawSegment(user),
        RTE.fromOption(() => Failure.permissionDenied),
      ),
    ),
    RTE.bindW('access', ({ id, requested }) => readVisitorAccess(id, requested.path)),
    RTE.bindW('env', () => RTE.ask<VisitorEnv>()),
    RTE.map(({ id, requested, access, env }) => {
      const request: AuthorizedRequest<VisitorFailure> = authorizedRequest<VisitorFailure>({
        requested,
        signal,
        access,
        read: (last) => readVisitorAccess(id, requested.path, last)(env),
        reject: (failure, current) => concealMismatch({ ...request, access: current }, failure)(env),
      })
      return request
    }),
  )
