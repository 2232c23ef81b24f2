import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import { type IORef, newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Failure from './Failure.js'
import { type Listing, treeBegins } from './Listing.js'
import type { ListEnv, NodeAtEnv } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { DirectoryTreeNode, FileTreeNode, TreeNode } from './TreeNode.js'
import { type OfChild, type View, visibleChildren } from './View.js'
import type { NodeVisibility } from './Visibility.js'

/**
 * A tree that unfolds by one question: the children of a directory. Running `children` only reads, so a walker may run it
 * early, to read ahead. The writer of the answer goes depth-first, and admits each directory when it comes to it.
 */
export type Tree = FileTreeNode | Directory<Exclude<Expansion, Vanished>>

export type Child = FileTreeNode | Directory

/** The top directory never vanishes: where it cannot be listed, the operation fails. */
export interface Directory<Answer = Expansion> extends Omit<DirectoryTreeNode, 'content'> {
  readonly children: T.Task<Answer>
}

export type Expansion = Listed | NotExpanded | Vanished

export interface Listed {
  readonly is: 'listed'
  /** In byte order, made while they are read, each time they are read; `undefined` for an entry that is not shown. */
  readonly children: Iterable<Child | undefined>
  /** There are no more children than this. */
  readonly most: number
  /** Takes `count`, the number of the visible children, from the node budget. Called once; on `false` the directory is not expanded. */
  readonly admit: (count: number) => IO.IO<boolean>
}

/** Carries no `content`: beyond the depth that was asked for, or unreadable. One that the node budget does not suffice for is `Listed`, and `admit` is false. */
export interface NotExpanded {
  readonly is: 'not expanded'
  readonly unreadable?: Unreadable
}

/** A directory that cannot be listed whole for the asker. For the operator's log, and never part of an answer. */
export interface Unreadable {
  readonly path: StoragePath.StoragePath
  /** What was thrown, usually an Error. */
  readonly cause: unknown
}

/** No longer a directory: removed since its parent was read. */
export interface Vanished {
  readonly is: 'vanished'
}

/** How much of a tree is asked for. */
export interface Bounds {
  /** Levels of children below the node; `none` for all. */
  readonly depth: O.Option<number>
  /** How many nodes an answer holds at most. A directory whose children would exceed it is not expanded. */
  readonly nodes: number
}

/** The whole tree. */
export const unbounded: Bounds = { depth: O.none, nodes: Number.POSITIVE_INFINITY }

interface Walk {
  readonly view: View
  readonly list: ListEnv['list']
  /** Looks again at the node at the top. */
  readonly topNode: ReturnType<NodeAtEnv['nodeAt']>
  readonly budget: IORef<number>
}

interface Below {
  /** Levels that may still be expanded. */
  readonly depth: O.Option<number>
  /** The listing of the parent directory. */
  readonly parent: Listing
}
interface At extends Below {
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
}

const notExpanded: NotExpanded = { is: 'not expanded' }
const unreadable = (path: StoragePath.StoragePath, cause: unknown): NotExpanded => ({
  is: 'not expanded',
  unreadable: { path, cause },
})

const admit =
  (budget: IORef<number>) =>
  (count: number): IO.IO<boolean> =>
  () => {
    const left = budget.read()
    if (count > left) return false
    budget.write(left - count)()
    return true
  }

const nodeOf =
  (walk: Walk, at: At, below: Below): OfChild<Child | undefined> =>
  (entry, visibility) => {
    if (entry.type === 'file')
      return { type: 'file', name: entry.name, size: entry.size, last_modified: entry.last_modified, visibility }
    const path = O.toUndefined(StoragePath.child(at.path, entry.name))
    const children = path && expansion(walk, { path, visibility, ...below })
    return children && { type: 'dir', name: entry.name, visibility, children }
  }

const listed = (walk: Walk, at: At, listing: Listing): E.Either<Failure.External, Listed> => {
  const below = { parent: listing, depth: O.map((levels: number) => levels - 1)(at.depth) }
  return pipe(
    listing,
    visibleChildren(walk.view, at.path, nodeOf(walk, at, below)),
    E.map((children) => ({
      is: 'listed',
      children,
      most: listing.entries.length,
      admit: admit(walk.budget),
    })),
  )
}

const list = (walk: Walk, at: At): TE.TaskEither<Failure.OfStorage, Listed | NotExpanded> =>
  O.exists((levels: number) => levels <= 0)(at.depth)
    ? TE.right(notExpanded)
    : pipe(
        // With a depth limit a storage that reads ahead would read more than is asked for.
        walk.list(walk.view.area, at.path, O.isNone(at.depth) ? at.parent : undefined),
        // Asked for each directory: `flatMapEither` takes several times as long.
        T.map((found) => (E.isLeft(found) ? found : listed(walk, at, found.right))),
      )

const topIsGone = new Error('the directory that was asked for went away while its tree was walked')

/**
 * A directory below the top one. When it is no longer there, it has vanished. But when the top directory itself is gone, one
 * that is not found may still exist: it is unreadable.
 */
const expansion = (walk: Walk, at: At): T.Task<Expansion> =>
  pipe(
    list(walk, at),
    TE.getOrElse(
      (failure: Failure.OfStorage): T.Task<Expansion> =>
        failure.error === 'external'
          ? T.of(unreadable(at.path, failure.cause))
          : pipe(
              walk.topNode,
              TE.match(
                (gone) => unreadable(at.path, gone.error === 'external' ? gone.cause : topIsGone),
                ({ type }) => (type === 'dir' ? { is: 'vanished' } : unreadable(at.path, topIsGone)),
              ),
            ),
    ),
  )

/**
 * The node at a path and, as they are asked for, all nodes below it that the asker may see. Fails where that node itself
 * cannot be read. A directory below it that cannot be listed is not expanded, and one that is gone is left out.
 */
export const treeAt =
  ({ path, mustBeDirectory }: StoragePath.RequestedPath, { depth, nodes }: Bounds) =>
  (view: View) =>
    pipe(
      (env: NodeAtEnv) => env.nodeAt(view.area, path),
      RTE.filterOrElseW(
        (node) => node.type === 'dir' || !mustBeDirectory,
        () => Failure.typeMismatch,
      ),
      RTE.flatMap((node) =>
        RTE.asksReaderTaskEither((env: ListEnv & NodeAtEnv): RTE.ReaderTaskEither<unknown, Failure.OfStorage, Tree> => {
          const name = StoragePath.name(path)
          const visibility = Settings.visibilityAt(view.settings, path)
          if (node.type === 'file' && name !== '')
            return RTE.right({ type: 'file', name, size: node.size, last_modified: node.last_modified, visibility })
          const at = { path, visibility, depth, parent: treeBegins }
          return pipe(
            RTE.fromIO(newIORef(nodes - 1)),
            RTE.flatMapTaskEither((budget) =>
              list({ view, list: env.list, topNode: () => env.nodeAt(view.area, path)(), budget }, at),
            ),
            RTE.bimap(
              // It was a directory a moment ago.
              (failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure),
              (found) => ({ type: 'dir', name, visibility, children: T.of(found) }),
            ),
          )
        }),
      ),
    )

/** The whole tree in memory: once, since it takes from the tree's node budget. */
export const collect = (tree: Tree): T.Task<TreeNode> =>
  tree.type === 'file' ? T.of(tree) : pipe(tree.children, T.flatMap(collectDirectory(tree)))

const collectDirectory =
  ({ type, name, visibility }: Directory<unknown>) =>
  (found: Listed | NotExpanded): T.Task<TreeNode> => {
    const node = { type, name, visibility }
    if (found.is !== 'listed') return T.of(node)
    const children = [...found.children].filter((child) => child !== undefined)
    return found.admit(children.length)()
      ? pipe(
          children,
          T.traverseSeqArray(collectChild),
          T.map((content) => ({ ...node, content: RA.compact(content) })),
        )
      : T.of(node)
  }

const collectChild = (child: Child): T.Task<O.Option<TreeNode>> =>
  child.type === 'file'
    ? T.of(O.some(child))
    : pipe(
        child.children,
        T.flatMap((found) =>
          found.is === 'vanished' ? T.of(O.none) : pipe(collectDirectory(child)(found), T.map(O.some)),
        ),
      )
