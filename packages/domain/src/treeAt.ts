import * as E from 'fp-ts/lib/Either.js'
import { constTrue, pipe } from 'fp-ts/lib/function.js'
import { type IORef, newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AuthorizedRequest, askPage, askStorage } from './AuthorizedRequest.js'
import * as Failure from './Failure.js'
import * as Listing from './Listing.js'
import * as Name from './Name.js'
import type { ListEnv, NodeAtEnv } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, Child, Directory, Expansion, LineBounds, Listed, NotExpanded, Tree, Vanished } from './Tree.js'
import type { U64 } from './U64.js'
import { hidesBelow, visibleChildren } from './View.js'
import type { NodeVisibility } from './Visibility.js'

/** The constants of one walk, and its budget. */
interface Walk {
  readonly env: ListEnv & NodeAtEnv
  readonly top: StoragePath.StoragePath
  readonly budget: IORef<number>
  readonly hidesBelow: ReturnType<typeof hidesBelow>
  /**
   * For lines: the children of a page are returned before the next page is read, because a client can continue after any line.
   * A nested tree has all children of a directory or none, so all its pages are read first.
   */
  readonly streamsPages: boolean
}

/** A directory of a walk, as its parent's listing describes it. */
interface Branch<F extends Failure.OfAccess> {
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
  /** Levels that may still be expanded; `none` for all. */
  readonly depth: O.Option<number>
  readonly parent: Listing.Listing
  /**
   * The names from this directory down to the path after which the walk starts. Children before the first name are skipped
   * unread, and only the child of that name passes on the others. Empty if the walk has all children.
   */
  readonly start: ReadonlyArray<Name.Name>
  /** Has the access that decided the page. */
  readonly request: AuthorizedRequest<F>
}

/** The children on one page of the storage. */
interface VisiblePage {
  readonly children: Iterable<Child | undefined>
  readonly maxChildren: number
  /** The number of visible children; counted only if another page follows. */
  readonly count: number
}

/** The result of reading a directory, and the request with the access that decided it. */
interface ReadResult<F extends Failure.OfAccess> {
  readonly result: E.Either<Failure.OfStorage, Expansion>
  readonly request: AuthorizedRequest<F>
}

const noNames: Branch<never>['start'] = []
const notExpanded: NotExpanded = { is: 'not expanded' }
const vanished: Vanished = { is: 'vanished' }
const noLongerShown = Failure.external(new Error('a directory became invisible while its tree was read: retry'))
const topIsGone = new Error('the requested directory was removed while its tree was read')

const hasNotVanished = (expansion: Expansion): expansion is Listed | NotExpanded => expansion.is !== 'vanished'

const unreadable = (path: StoragePath.StoragePath, cause: unknown): NotExpanded => ({
  is: 'not expanded',
  unreadable: { path, cause },
})

const admit =
  (budget: IORef<number>): Listed['admit'] =>
  (count) =>
  () => {
    const left = budget.read()
    if (count > left) return false
    budget.write(left - count)()
    return true
  }

/**
 * Rechecks the branch against the access of `request`; `none` if its directory is no longer shown. Fails if a directory above
 * it is no longer shown, because the answer already contains the beginning of that directory's `content`.
 */
const recheck = <F extends Failure.OfAccess>(
  top: StoragePath.StoragePath,
  branch: Branch<F>,
  request: AuthorizedRequest<F>,
): E.Either<Failure.External, O.Option<Branch<F>>> => {
  if (request === branch.request) return E.right(O.some(branch))
  const { view, visibility } = request.access
  const below = Settings.stepsTo(view.settings, branch.path).slice(StoragePath.segments(top).length + 1)
  const directory = below.at(-1)
  if (directory === undefined) return E.right(O.some({ ...branch, visibility, request }))
  if (!below.slice(0, -1).every((step) => view.shows(step.visibility))) return E.left(noLongerShown)
  return E.right(
    view.shows(directory.visibility) ? O.some({ ...branch, visibility: directory.visibility, request }) : O.none,
  )
}

const childOf =
  <F extends Failure.OfAccess>(walk: Walk, branch: Branch<F>, page: Listing.Listing) =>
  (entry: Listing.Entry, visibility: NodeVisibility): Child | undefined => {
    const { name, last_modified } = entry
    const isStart = name === branch.start[0]
    if (entry.type === 'file')
      return isStart ? undefined : { type: 'file', name, size: entry.size, last_modified, visibility }
    const path = O.toUndefined(StoragePath.child(branch.path, name))
    if (path === undefined) return undefined
    const depth = O.map((levels: number) => levels - 1)(branch.depth)
    const start = isStart ? branch.start.slice(1) : noNames
    const children = expand(walk, { path, visibility, depth, parent: page, start, request: branch.request })
    return { type: 'dir', name, path, last_modified, visibility, children }
  }

const listed = ({ budget }: Walk, pages: ReadonlyArray<VisiblePage>, next?: Listed['next']): Listed => {
  const [first] = pages
  function* allChildren(): Generator<Child | undefined, void> {
    for (const { children } of pages) yield* children
  }
  return {
    is: 'listed',
    children: first !== undefined && pages.length === 1 ? first.children : { [Symbol.iterator]: allChildren },
    maxChildren: pages.reduce((sum, { maxChildren }) => sum + maxChildren, 0),
    admit: admit(budget),
    next,
  }
}

const countOf = (children: Iterable<Child | undefined>): number =>
  RA.compact(Array.from(children, O.fromNullable)).length

const exceeds = (budget: IORef<number>, pages: ReadonlyArray<VisiblePage>): boolean =>
  pages.reduce((sum, { count }) => sum + count, 0) > budget.read()

/** Returns the children on a page, under the access of the branch. */
const pageOf = <F extends Failure.OfAccess>(
  walk: Walk,
  branch: Branch<F>,
  after: string | undefined,
  listing: Listing.Listing,
): E.Either<Failure.External, VisiblePage> => {
  const { entries } = listing
  const start =
    after === undefined ? Listing.indexFrom(entries, branch.start[0] ?? '') : Listing.indexAfter(entries, after)
  const { view } = branch.request.access
  const options = { start, visibility: branch.visibility }
  const children = visibleChildren(view, branch.path, childOf(walk, branch, listing), options)(listing)
  if (E.isLeft(children)) return children
  const count = listing.next === undefined || walk.streamsPages ? 0 : countOf(children.right)
  return E.right({ children: children.right, maxChildren: entries.length - start, count })
}

/** The name after which the first page of a branch begins, so that it contains the child at the start of the walk. */
const beforeStart = ({ start: [first] }: { readonly start: ReadonlyArray<Name.Name> }): string | undefined =>
  first && Name.justBefore(first)

/**
 * Reads a directory page by page, and buffers the pages until it knows whether the budget covers all children. For lines it
 * reads one page.
 */
const readDirectory =
  <F extends Failure.OfAccess>(
    walk: Walk,
    branch: Branch<F>,
    previous?: Listing.Listing,
    earlierPages: ReadonlyArray<VisiblePage> = [],
  ): TE.TaskEither<F | Failure.External, ReadResult<F>> =>
  () => {
    // `parent` lets the adapter read ahead. With a depth limit it would read too much.
    const mayReadAhead = O.isNone(branch.depth) && !walk.hidesBelow(branch.path)
    const parent = mayReadAhead ? branch.parent : undefined
    const after = previous?.next
    const options = { after: after ?? beforeStart(branch), previous, parent }
    return askPage(
      branch.request,
      branch.path,
      options,
    )(walk.env)().then((asked) => {
      if (E.isLeft(asked)) return asked
      const { answer, request } = asked.right
      const current = recheck(walk.top, branch, request)
      if (E.isLeft(current)) return current
      if (O.isNone(current.right)) return E.right({ result: E.right(vanished), request })
      if (E.isLeft(answer)) return E.right({ result: answer, request })
      const page = pageOf(walk, current.right.value, after, answer.right)
      if (E.isLeft(page)) return E.right({ result: page, request })
      const pages = [...earlierPages, page.right]
      if (answer.right.next === undefined) return E.right({ result: E.right(listed(walk, pages)), request })
      if (walk.streamsPages) {
        const next = nextPage(walk, current.right.value, answer.right)
        return E.right({ result: E.right(listed(walk, pages, next)), request })
      }
      if (exceeds(walk.budget, pages)) return E.right({ result: E.right(notExpanded), request })
      return readDirectory(walk, current.right.value, answer.right, pages)()
    })
  }

const isAtDepthLimit = ({ depth }: { readonly depth: O.Option<number> }): boolean => O.isSome(depth) && depth.value <= 0

/** Expands a directory below the requested one, or continues it after a page. */
const expand =
  <F extends Failure.OfAccess>(
    walk: Walk,
    branch: Branch<F>,
    previous?: Listing.Listing,
  ): TE.TaskEither<F | Failure.External, Expansion> =>
  () =>
    isAtDepthLimit(branch)
      ? Promise.resolve(E.right(notExpanded))
      : readDirectory(walk, branch, previous)().then((read) => {
          if (E.isLeft(read)) return read
          const { result, request } = read.right
          if (E.isRight(result)) return result
          return result.left.error === 'external'
            ? E.right(unreadable(branch.path, result.left.cause))
            : vanishedOrUnreadable(walk, branch.path, request)()
        })

/**
 * Handles a directory that the storage does not find. It has vanished, unless the requested directory is gone too: then the
 * whole area may be unreachable, so the directory counts as unreadable.
 */
const vanishedOrUnreadable = <F extends Failure.OfAccess>(
  { env, top }: Walk,
  path: StoragePath.StoragePath,
  request: AuthorizedRequest<F>,
): TE.TaskEither<F | Failure.External, Expansion> =>
  pipe(
    askStorage(request, (area) => (ports: NodeAtEnv) => ports.nodeAt(area, top, { signal: request.signal }))(env),
    TE.map(({ answer }): Expansion => {
      if (E.isRight(answer)) return answer.right.type === 'dir' ? vanished : unreadable(path, topIsGone)
      return unreadable(path, answer.left.error === 'external' ? answer.left.cause : topIsGone)
    }),
  )

/**
 * Reads the page after `previous`, whose directory has begun. It fails if it cannot be read; if the directory is gone, nothing
 * follows.
 */
const nextPage = <F extends Failure.OfAccess>(
  walk: Walk,
  branch: Branch<F>,
  previous: Listing.Listing,
): TE.TaskEither<F | Failure.External, Listed> =>
  pipe(
    expand(walk, branch, previous),
    TE.flatMap((expansion) => {
      if (expansion.is === 'listed') return TE.right(expansion)
      if (expansion.is === 'vanished') return TE.right(listed(walk, []))
      return TE.left(Failure.external(expansion.unreadable?.cause))
    }),
  )

/** Returns the names from the requested path down to the path after which its lines start. */
const startOf = ({ lines }: Bounds, path: StoragePath.StoragePath): ReadonlyArray<Name.Name> =>
  pipe(
    lines,
    O.flatMap(({ after }) => after),
    O.match(
      () => noNames,
      (after) => StoragePath.segments(after).slice(StoragePath.segments(path).length),
    ),
  )

/** Reads the requested node as a directory. It was one a moment ago, and the client may see it. */
const topDirectory =
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
    last_modified: U64,
    bounds: Bounds,
  ): RTE.ReaderTaskEither<ListEnv & NodeAtEnv, F | Failure.OfStorage, Directory<Listed | NotExpanded>> =>
  (env) => {
    const { path } = request.requested
    const { view, visibility } = request.access
    const directory = { type: 'dir', name: StoragePath.name(path), path, last_modified, visibility } as const
    const start = startOf(bounds, path)
    const branch = { path, visibility, depth: bounds.depth, parent: Listing.noParent, start, request }
    if (isAtDepthLimit(branch)) return TE.right({ ...directory, children: TE.right(notExpanded) })
    const streamsPages = O.isSome(bounds.lines)
    return pipe(
      TE.fromIO(newIORef(bounds.nodes - 1)),
      TE.flatMap((budget) =>
        readDirectory({ env, top: path, budget, hidesBelow: hidesBelow(view), streamsPages }, branch),
      ),
      TE.flatMap(({ result: read, request: current }) => {
        const result = pipe(
          read,
          E.filterOrElseW(hasNotVanished, () => Failure.fileNotFound),
          E.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
        )
        return E.isLeft(result)
          ? current.reject(result.left, current.access)
          : TE.right({ ...directory, visibility: current.access.visibility, children: TE.right(result.right) })
      }),
    )
  }

/** Reports whether the client may reach the path after which its lines start. Decided without the storage. */
const mayStart = (
  { requested, access: { view } }: Pick<AuthorizedRequest<never>, 'requested' | 'access'>,
  { after }: LineBounds,
): boolean =>
  pipe(
    after,
    O.match(constTrue, (path) => {
      const visibility = Settings.visibilityAt(view.settings, path)
      return StoragePath.contains(requested.path)(path) && view.reaches(visibility)
    }),
  )

/**
 * Returns the requested node and, lazily, every node below it that the client may see. Fails if the node itself cannot be read.
 * A directory below it is not expanded if it cannot be listed, and omitted if it is gone.
 */
export const treeAt =
  (bounds: Bounds) =>
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
  ): RTE.ReaderTaskEither<ListEnv & NodeAtEnv, F | Failure.PermissionDenied | Failure.OfStorage, Tree> => {
    const { path, mustBeDirectory } = request.requested
    const name = StoragePath.name(path)
    if (O.exists((lines: LineBounds) => !mayStart(request, lines))(bounds.lines))
      return RTE.left(Failure.permissionDenied)
    return pipe(
      askStorage(request, (area) => (env: NodeAtEnv) => env.nodeAt(area, path, { signal: request.signal })),
      RTE.flatMap(
        ({ answer, request: current }): RTE.ReaderTaskEither<ListEnv & NodeAtEnv, F | Failure.OfStorage, Tree> => {
          if (E.isLeft(answer)) return RTE.fromTaskEither(current.reject(answer.left, current.access))
          const node = answer.right
          // The root of an area is a directory, whatever the storage says.
          if (node.type === 'dir' || name === '') return topDirectory(current, node.last_modified, bounds)
          if (mustBeDirectory) return RTE.fromTaskEither(current.reject(Failure.typeMismatch, current.access))
          const { size, last_modified } = node
          return RTE.right({ type: 'file', name, path, size, last_modified, visibility: current.access.visibility })
        },
      ),
    )
  }
