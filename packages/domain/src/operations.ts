import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as AccessToken from './AccessToken.js'
import type { Area } from './Area.js'
import * as Failure from './Failure.js'
import { itemsAt, type Page } from './Items.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, NodeAtEnv, SettingsOfEnv, TriggerOfEnv } from './ports.js'
import * as StoragePath from './StoragePath.js'
import { type Bounds, treeAt } from './Tree.js'
import * as TriggerId from './TriggerId.js'
import * as UserId from './UserId.js'
import * as View from './View.js'

/** A request with a token, in segments of the raw request target: nothing decoded. */
export interface StorageRequest {
  /** One segment, percent-encoded or not: `cnp_` and 43 characters of base64url. A secret. */
  readonly token: string
  /** What follows it, percent-encoded: `''`, `/`, or `/a%20b/c` with at most one trailing slash, which asks for a directory. */
  readonly path: string
}
/** A visitor's request, in segments of the raw request target: nothing decoded. */
export interface UserContentRequest {
  /** One segment: the user's id in canonical decimal, such as `42`. */
  readonly user: string
  /** What follows it, percent-encoded: `''`, `/`, or `/a%20b/c` with at most one trailing slash, which asks for a directory. */
  readonly path: string
}
/** A request by anyone who knows the trigger's id. */
export interface TriggerRequest {
  /** One segment of the raw request target, percent-encoded. A secret. */
  readonly id: string
}

interface Asked {
  readonly view: View.View
  readonly requested: StoragePath.RequestedPath
}

const pathOf = flow(
  StoragePath.fromRaw,
  RTE.fromOption(() => Failure.fileNotFound),
)

const settingsOf = (owner: UserId.UserId) => (env: SettingsOfEnv) => env.settingsOf(owner)

/** The order of checks: token, account, path syntax, scope. */
const ownerAsks = (request: StorageRequest) =>
  pipe(
    AccessToken.fromRawSegment(request.token),
    RTE.fromOption(() => Failure.invalidToken),
    RTE.flatMap((token) => (env: AreaOfTokenEnv) => env.areaOfToken(token)),
    RTE.bindTo('grant'),
    RTE.bindW('requested', () => pathOf(request.path)),
    RTE.filterOrElseW(
      ({ grant, requested }) => StoragePath.contains(grant.scope)(requested.path),
      () => Failure.permissionDenied,
    ),
    RTE.bindW('settings', ({ grant }) => settingsOf(grant.area.owner)),
    RTE.map(({ grant, requested, settings }): Asked => ({ view: View.ofOwner(grant.area, settings), requested })),
  )

/** `none` for an account that is unknown or not verified. */
const verifiedAreaOf = (user: UserId.UserId) =>
  pipe(
    (env: AreaOfUserEnv) => env.areaOfUser(user),
    RTE.matchE(
      (failure): RTE.ReaderTaskEither<AreaOfUserEnv, Failure.External, O.Option<Area>> =>
        failure.error === 'external' ? RTE.left(failure) : RTE.right(O.none),
      (area) => RTE.right(O.some(area)),
    ),
  )

/**
 * The order of checks: path syntax, the form of the id, then who may reach the path. Settings and account are both looked up before either
 * decides, so that an unknown account, an unverified one and a private one cost the same.
 */
const visitorAsks = (request: UserContentRequest) =>
  pipe(
    pathOf(request.path),
    RTE.bindTo('requested'),
    RTE.bindW('user', () =>
      pipe(
        UserId.fromRawSegment(request.user),
        RTE.fromOption(() => Failure.permissionDenied),
      ),
    ),
    RTE.bindW('settings', ({ user }) => settingsOf(user)),
    RTE.bindW('verified', ({ user }) => verifiedAreaOf(user)),
    RTE.flatMapOption(
      ({ requested, settings, verified }) => {
        const reached = View.visitorReaches(settings, requested.path) ? verified : O.none
        return O.map((area: Area): Asked => ({ view: View.ofVisitor(area, settings), requested }))(reached)
      },
      () => Failure.permissionDenied,
    ),
  )

const tree =
  (bounds: Bounds) =>
  ({ view, requested }: Asked) =>
    treeAt(requested, bounds)(view)

const items =
  (page: Page) =>
  ({ view, requested }: Asked) =>
    itemsAt(requested, page)(view)

type Failing = RTE.ReaderTaskEither<NodeAtEnv, Failure.OfStorage, never>

/** Looks by halves for a file among paths of one way up, the nearest first: directories are above it, mismatches below. */
const mismatchAmong = (area: Area, paths: ReadonlyArray<StoragePath.StoragePath>): Failing => {
  const middle = Math.floor(paths.length / 2)
  const at = paths[middle]
  if (at === undefined) return RTE.left(Failure.fileNotFound)
  return pipe(
    (env: NodeAtEnv) => env.nodeAt(area, at),
    RTE.matchE(
      (failure) =>
        failure.error === 'type mismatch' ? mismatchAmong(area, paths.slice(middle + 1)) : RTE.left(failure),
      (node) => (node.type === 'file' ? RTE.left(Failure.typeMismatch) : mismatchAmong(area, paths.slice(0, middle))),
    ),
  )
}

/**
 * `type mismatch` says that there is a file at the path or on the way to it. A visitor who may not reach that file must
 * not learn of it: for them nothing is there, and the path is not found.
 */
export const concealMismatch =
  ({ view: { area, settings }, requested: { path } }: Asked) =>
  (failure: Failure.OfStorage): Failing => {
    const way = StoragePath.upwards(path)
    const reachable = way.filter((at) => View.visitorReaches(settings, at))
    return failure.error !== 'type mismatch' || reachable.length === way.length
      ? RTE.left(failure)
      : mismatchAmong(area, reachable)
  }

const concealing = (asked: Asked) => RTE.orElseW(concealMismatch(asked))

/** The five operations of the interface, part 4, in its order. Each fails with its column of part 7 and nothing else. */
export const operations = {
  /**
   * A node of the area that a token opens, with all below it, as far as the bounds go. `invalid token`, `not verified`,
   * `permission denied` (outside the token's scope), `file not found`, `type mismatch` (through a file, or a slash behind
   * one), `external`.
   */
  storageTree: (request: StorageRequest, bounds: Bounds) => pipe(ownerAsks(request), RTE.flatMap(tree(bounds))),
  /**
   * A node of a user's area as any visitor sees it, with all below it, as far as the bounds go. `permission denied`
   * (private, or no such user), `file not found`, `type mismatch` (through a file, or a slash behind one), `external`.
   */
  userContentTree: (request: UserContentRequest, bounds: Bounds) =>
    pipe(
      visitorAsks(request),
      RTE.flatMap((asked) => pipe(asked, tree(bounds), concealing(asked))),
    ),
  /**
   * The items directly in a directory of the area that a token opens, in byte order: all, or a page. `invalid token`,
   * `not verified`, `permission denied` (outside the token's scope), `file not found`, `type mismatch` (of a file, or
   * through one), `external`.
   */
  storageDirItems: (request: StorageRequest, page: Page) => pipe(ownerAsks(request), RTE.flatMap(items(page))),
  /**
   * The items directly in a directory of a user's area that any visitor sees, in byte order: all, or a page.
   * `permission denied` (private, or no such user), `file not found`, `type mismatch` (of a file, or through one), `external`.
   */
  userContentDirItems: (request: UserContentRequest, page: Page) =>
    pipe(
      visitorAsks(request),
      RTE.flatMap((asked) => pipe(asked, items(page), concealing(asked))),
    ),
  /** What a trigger holds, without firing it. `trigger not found` (unknown, expired or deleted), `external`. */
  triggerPeek: (request: TriggerRequest) =>
    pipe(
      TriggerId.fromRawSegment(request.id),
      RTE.fromOption(() => Failure.triggerNotFound),
      RTE.flatMap((id) => (env: TriggerOfEnv) => env.triggerOf(id)),
    ),
}
