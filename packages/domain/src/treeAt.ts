import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type IORef, newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AuthorizedRequest, noLongerShown, visibilityNow } from './AuthorizedRequest.js'
import { askNode, askPage } from './askStorage.js'
import type { Entry } from './Entry.js'
import * as Failure from './Failure.js'
import * as Listing from './Listing.js'
import * as Name from './Name.js'
import type { ListEnv, NodeAtEnv } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, Child, Expansion, Listed, NotExpanded, TopDirectory, Tree, Vanished } from './Tree.js'
import { mayReadAhead, visibleChildren } from './View.js'
import type { NodeVisibility } from './Visibility.js'

type TreeEnv = ListEnv & NodeAtEnv
type TreeAt<E, A> = RTE.ReaderTaskEither<TreeEnv, E | Failure.OfStorage, A>

/**
 * Returns the requested node and, lazily, every node below it that the client may see. Fails if the node itself cannot be read.
 * A directory below it is not expanded if it cannot be listed, and omitted if it is gone.
 */
export const treeAt =
  (bounds: Bounds) =>
  <F extends Failure.OfAccess>(request: AuthorizedRequest<F>): TreeAt<F | Failure.PermissionDenied, Tree> => {
    const { path, mustBeDirectory } = request.requested
    const name = StoragePath.name(path)
    const { view } = request.access
    // A start is refused before the storage is asked, so the refusal does not reveal whether a node exists there.
    const isDenied = (start: StoragePath.StoragePath): boolean =>
      !StoragePath.contains(path)(start) || !view.mayRequest(Settings.visibilityAt(view.settings, start))
    if (O.exists(isDenied)(bounds.after)) return RTE.left(Failure.permissionDenied)
    // Access may change while the storage answers, so `askNode` also returns the request with the current access.
    return pipe(
      askNode(request, path),
      RTE.flatMap(({ answer, request: current }): TreeAt<F, Tree> => {
        if (E.isLeft(answer)) return RTE.fromTaskEither(current.reject(answer.left))
        const node = answer.right
        const { visibility } = current.access
        const top = { name, path, last_modified: node.last_modified, visibility, wasSent: O.isSome(bounds.after) }
        // The root of an area is a directory, whatever the storage says.
        if (node.type === 'dir' || name === '') return topDirectory(current, { ...top, type: 'dir' }, bounds)
        if (mustBeDirectory) return RTE.fromTaskEither(current.reject(Failure.typeMismatch))
        return RTE.right({ ...node, ...top, name })
      }),
    )
  }

/** The constants of one walk, and its budget. */
interface Walk {
  readonly env: TreeEnv
  readonly budget: IORef<number>
  readonly mayReadAhead: ReturnType<typeof mayReadAhead>
  readonly asLines: boolean
}

/** A directory of a walk, as its parent's listing describes it. */
interface Branch<F extends Failure.OfAccess> {
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
  /** The number of levels that may still be expanded. */
  readonly depth: number
  readonly parent: Listing.Listing
  /** The names below this directory of the path after which the walk starts. Empty if no child is skipped. */
  readonly remainingStart: ReadonlyArray<Name.Name>
  /** With the access under which the parent's page was filtered. */
  readonly request: AuthorizedRequest<F>
}

const notExpanded: NotExpanded = { is: 'not expanded' }
const vanished: Vanished = { is: 'vanished' }

/** Reads the requested node as a directory. It was one a moment ago, and the client may see it. */
const topDirectory =
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
    directory: Omit<TopDirectory, 'children'>,
    bounds: Bounds,
  ): TreeAt<F, TopDirectory> =>
  (env) => {
    const { path, visibility } = directory
    const depth = O.getOrElse(() => Number.POSITIVE_INFINITY)(bounds.depth)
    if (depth === 0) return TE.right({ ...directory, children: TE.right(notExpanded) })
    const start = O.getOrElse(() => path)(bounds.after)
    const remainingStart = StoragePath.segments(start).slice(StoragePath.segments(path).length)
    const budget = newIORef(bounds.nodes - 1)()
    const walk = { env, budget, mayReadAhead: mayReadAhead(request.access.view), asLines: bounds.asLines }
    return pipe(
      readDirectory(walk, { path, visibility, depth, parent: Listing.noParent, remainingStart, request }),
      TE.flatMap(({ result, request: current }): TE.TaskEither<F | Failure.OfStorage, TopDirectory> => {
        if (E.isRight(result) && result.right.is !== 'vanished')
          return TE.right({ ...directory, visibility: current.access.visibility, children: TE.right(result.right) })
        // It was a directory a moment ago, so any other failure means that it is gone.
        const isExternal = E.isLeft(result) && result.left.error === 'external'
        return current.reject(isExternal ? result.left : Failure.fileNotFound)
      }),
    )
  }

/** The result of reading a directory, and the request with the access that decided it. */
interface ReadResult<F extends Failure.OfAccess> {
  readonly result: E.Either<Failure.OfStorage, Expansion>
  readonly request: AuthorizedRequest<F>
}

/** The children on one page of the storage. */
interface VisiblePage {
  /** `undefined` for an entry that is not shown. */
  readonly children: Iterable<Child | undefined>
  readonly maxChildren: number
  /** The number of visible children; counted only if another page follows. */
  readonly count: number
}

/** Returns the branch under the access of the request; an empty option if its directory is no longer shown. */
const recheck = <F extends Failure.OfAccess>(
  branch: Branch<F>,
  request: AuthorizedRequest<F>,
): E.Either<Failure.External, O.Option<Branch<F>>> =>
  request === branch.request
    ? E.right(O.some(branch))
    : pipe(visibilityNow(request, branch.path), E.map(O.map((visibility) => ({ ...branch, visibility, request }))))

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
    const parent =
      branch.depth === Number.POSITIVE_INFINITY && walk.mayReadAhead(branch.path) ? branch.parent : undefined
    // The first page begins with the child in which the walk starts.
    const [first] = branch.remainingStart
    const after = previous === undefined ? first && Name.justBefore(first) : previous.next
    const asking = askPage(branch.request, branch.path, { after, previous, parent })
    return asking(walk.env)().then((asked) => {
      if (E.isLeft(asked)) return asked
      const { answer, request } = asked.right
      const withRequest = (result: ReadResult<F>['result']) => E.right({ result, request })
      const current = recheck(branch, request)
      if (E.isLeft(current)) return current
      const hasBegun = walk.asLines && previous !== undefined
      if (O.isNone(current.right)) return hasBegun ? E.left(noLongerShown) : withRequest(E.right(vanished))
      if (E.isLeft(answer)) return withRequest(answer)
      const page = pageOf(walk, current.right.value, answer.right, previous)
      if (E.isLeft(page)) return withRequest(page)
      const pages = [...earlierPages, page.right]
      if (answer.right.next === undefined) return withRequest(E.right(listedOf(walk, pages)))
      if (walk.asLines) {
        const next = pipe(expand(walk, current.right.value, answer.right), TE.flatMapEither(unlessUnreadable))
        return withRequest(E.right(listedOf(walk, pages, next)))
      }
      if (pages.reduce((sum, { count }) => sum + count, 0) > walk.budget.read())
        return withRequest(E.right(notExpanded))
      return readDirectory(walk, current.right.value, answer.right, pages)()
    })
  }

/** Returns the children on a page, under the access of the branch. */
const pageOf = <F extends Failure.OfAccess>(
  walk: Walk,
  branch: Branch<F>,
  listing: Listing.Listing,
  previous: Listing.Listing | undefined,
): E.Either<Failure.External, VisiblePage> => {
  const { entries } = listing
  const { path, visibility } = branch
  const [first = ''] = branch.remainingStart
  const end = previous?.next ?? ''
  const isBeforeStart = Name.byBytes.compare(end, first) < 0
  const following = Listing.indexAfter(entries, isBeforeStart ? first : end)
  // A walk that starts after a directory goes on with the children of that directory.
  const last = entries.at(following - 1)
  const start = isBeforeStart && last?.type === 'dir' && last.name === first ? following - 1 : following
  return pipe(
    listing,
    visibleChildren(branch.request.access.view, path, childOf(walk, branch, listing), { start, visibility }),
    E.map((children) => {
      const needsCount = listing.next !== undefined && !walk.asLines
      const count = needsCount ? [...children].filter((child) => child !== undefined).length : 0
      return { children, maxChildren: entries.length - start, count }
    }),
  )
}

const childOf =
  <F extends Failure.OfAccess>(walk: Walk, branch: Branch<F>, page: Listing.Listing) =>
  (entry: Entry, visibility: NodeVisibility): Child | undefined => {
    const { name, last_modified } = entry
    if (entry.type === 'file') return { type: 'file', name, size: entry.size, last_modified, visibility }
    const path = O.toUndefined(StoragePath.child(branch.path, name))
    if (path === undefined) return undefined
    const wasSent = name === branch.remainingStart[0]
    const remainingStart = wasSent ? branch.remainingStart.slice(1) : []
    const { depth, request } = branch
    const children = expand(walk, { path, visibility, depth: depth - 1, parent: page, remainingStart, request })
    return { type: 'dir', name, path, last_modified, visibility, wasSent, children }
  }

const listedOf = ({ budget }: Walk, pages: ReadonlyArray<VisiblePage>, next?: Listed['next']): Listed => {
  const [first] = pages
  function* allChildren(): Generator<Child | undefined, void> {
    for (const { children } of pages) yield* children
  }
  return {
    is: 'listed',
    children: first !== undefined && pages.length === 1 ? first.children : { [Symbol.iterator]: allChildren },
    maxChildren: pages.reduce((sum, { maxChildren }) => sum + maxChildren, 0),
    admit: (count) => () => {
      const left = budget.read() - count
      if (left < 0) return false
      budget.write(left)()
      return true
    },
    next,
  }
}

/** Expands a directory below the requested one, or continues it after a page. */
const expand =
  <F extends Failure.OfAccess>(
    walk: Walk,
    branch: Branch<F>,
    previous?: Listing.Listing,
  ): TE.TaskEither<F | Failure.External, Expansion> =>
  () =>
    branch.depth === 0
      ? Promise.resolve(E.right(notExpanded))
      : readDirectory(walk, branch, previous)().then((read) => {
          if (E.isLeft(read)) return read
          const { result, request } = read.right
          if (E.isRight(result)) return result
          return result.left.error === 'external'
            ? E.right(unreadable(branch.path, result.left.cause))
            : vanishedOrUnreadable(walk.env, branch.path, request)()
        })

const unreadable = (path: StoragePath.StoragePath, cause: unknown): NotExpanded => ({
  is: 'not expanded',
  unreadable: { path, cause },
})

const topIsGone = new Error('the requested directory was removed while its tree was being read')

/**
 * Handles a directory that the storage does not find. It has vanished, unless the requested directory is gone too: then the
 * whole area may be unreachable, so the directory counts as unreadable.
 */
const vanishedOrUnreadable = <F extends Failure.OfAccess>(
  env: NodeAtEnv,
  path: StoragePath.StoragePath,
  request: AuthorizedRequest<F>,
): TE.TaskEither<F | Failure.External, Expansion> =>
  pipe(
    askNode(request, request.requested.path)(env),
    TE.map(({ answer }): Expansion => {
      if (E.isRight(answer) && answer.right.type === 'dir') return vanished
      return unreadable(path, E.isLeft(answer) && answer.left.error === 'external' ? answer.left.cause : topIsGone)
    }),
  )

/** Fails if a page after the first cannot be read, because the children on the first were sent already. */
const unlessUnreadable = (expansion: Expansion): E.Either<Failure.External, Expansion> =>
  expansion.is === 'not expanded' ? E.left(Failure.external(expansion.unreadable?.cause)) : E.right(expansion)
