import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as AccessToken from './AccessToken.js'
import type { Area } from './Area.js'
import { concealMismatch } from './concealMismatch.js'
import * as Failure from './Failure.js'
import { itemsAt, type Page } from './itemsAt.js'
import { areaOfToken } from './ports/areaOfToken.js'
import { type AreaOfUserEnv, areaOfUser } from './ports/areaOfUser.js'
import { settingsOf } from './ports/settingsOf.js'
import { triggerOf } from './ports/triggerOf.js'
import * as StoragePath from './StoragePath.js'
import type * as Tree from './Tree.js'
import * as TriggerId from './TriggerId.js'
import { treeAt } from './treeAt.js'
import * as UserId from './UserId.js'
import * as View from './View.js'

/** Segments of the raw request target, nothing decoded: `token`, `user` and `id` one segment, `path` the rest. */
export interface StorageRequest {
  readonly token: string
  readonly path: string
}
export interface UserContentRequest {
  readonly user: string
  readonly path: string
}
export interface TriggerRequest {
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

/** The order of checks: token, account, path syntax, scope. */
const ownerAsks = (request: StorageRequest) =>
  pipe(
    AccessToken.fromRawSegment(request.token),
    RTE.fromOption(() => Failure.invalidToken),
    RTE.flatMap(areaOfToken),
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
    areaOfUser(user),
    RTE.matchE(
      (failure): RTE.ReaderTaskEither<AreaOfUserEnv, Failure.External, O.Option<Area>> =>
        failure.error === 'external' ? RTE.left(failure) : RTE.right(O.none),
      (area) => RTE.right(O.some(area)),
    ),
  )

/**
 * The order of checks: path syntax, then who may reach the path. Settings and account are both looked up before either
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
  (bounds: Tree.Bounds) =>
  ({ view, requested }: Asked) =>
    treeAt(requested, bounds)(view)

const items =
  (page: Page) =>
  ({ view, requested }: Asked) =>
    itemsAt(requested, page)(view)

const concealing = ({ view, requested }: Asked) => RTE.orElseW(concealMismatch(view, requested.path))

/** The five operations of the interface, part 4, in its order. Each fails with its column of part 7 and nothing else. */
export const operations = {
  storageTree: (request: StorageRequest, bounds: Tree.Bounds) => pipe(ownerAsks(request), RTE.flatMap(tree(bounds))),
  userContentTree: (request: UserContentRequest, bounds: Tree.Bounds) =>
    pipe(
      visitorAsks(request),
      RTE.flatMap((asked) => pipe(asked, tree(bounds), concealing(asked))),
    ),
  storageDirItems: (request: StorageRequest, page: Page) => pipe(ownerAsks(request), RTE.flatMap(items(page))),
  userContentDirItems: (request: UserContentRequest, page: Page) =>
    pipe(
      visitorAsks(request),
      RTE.flatMap((asked) => pipe(asked, items(page), concealing(asked))),
    ),
  triggerPeek: (request: TriggerRequest) =>
    pipe(
      TriggerId.fromRawSegment(request.id),
      RTE.fromOption(() => Failure.triggerNotFound),
      RTE.flatMap(triggerOf),
    ),
}
