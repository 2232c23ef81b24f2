import { tailRec } from 'fp-ts/lib/ChainRec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import type { IORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as Batch from './Batch.js'
import type { StoragePath } from './StoragePath.js'
import { type DirectoryTreeNode, type Files, type FileTreeNode, nodesOf, type TreeNode } from './TreeNode.js'

/**
 * A tree that unfolds as it is walked: a node, and for a directory a way to ask for its children. Walk it depth-first,
 * each directory once: the node budget is spent in the order of asking.
 */
export type Tree = FileTreeNode | Root

type Directory = Omit<DirectoryTreeNode, 'content'>

/** The directory that was asked for. It has been listed: a failure of that is one of the whole answer. */
export interface Root extends Directory {
  readonly expand: T.Task<Expansion>
}

/** A directory below it. Never fails: one that cannot be listed is not expanded. */
export interface Branch extends Directory {
  readonly expand: T.Task<Expansion | Vanished>
  /** Begins what `expand` will have to wait for. Who begins it should expand it soon: until then it is held. */
  readonly begin?: IO.IO<void>
}

/** Files are never alone: those that stand side by side are one child. */
export type Child = Branch | Files

/** What a directory turns out to be once its children are asked for. */
export type Expansion =
  | Decided
  /** Not decided yet: there is more to look at than may be looked at in one step. This is the next one. */
  | { readonly is: 'undecided'; readonly decide: IO.IO<Expansion> }

export type Decided =
  | { readonly is: 'expanded'; readonly count: number; readonly children: Batch.Batch<Child, void> }
  | Unexpanded

/** Carries no `content`: beyond the depth or the budget that was asked for, or unreadable. */
export interface Unexpanded {
  readonly is: 'unexpanded'
  readonly unreadable?: Unreadable
}

/** A directory that cannot be listed whole for the asker. For the operator's log, and never part of an answer. */
export interface Unreadable {
  readonly path: StoragePath
  /** What was thrown, usually an Error. */
  readonly cause: unknown
}

/** No longer a directory: removed since its parent was read. */
export interface Vanished {
  readonly is: 'vanished'
}

export const unexpanded: Unexpanded = { is: 'unexpanded' }
export const unreadable = (path: StoragePath, cause: unknown): Unexpanded => ({
  is: 'unexpanded',
  unreadable: { path, cause },
})
export const vanished: Vanished = { is: 'vanished' }

/** How much of a tree is asked for. */
export interface Bounds {
  /** Levels of children below the node; `none` for all. */
  readonly depth: O.Option<number>
  /** How many nodes an answer holds at most. A directory whose children would exceed it stays unexpanded. */
  readonly nodes: number
}

/** The whole tree. */
export const unbounded: Bounds = { depth: O.none, nodes: Number.POSITIVE_INFINITY }

/** Takes `count` nodes from the budget, all or none. */
export const take =
  (budget: IORef<number>) =>
  (count: number): IO.IO<boolean> =>
    pipe(
      budget.read,
      IO.flatMap((left) =>
        left < count
          ? IO.of(false)
          : pipe(
              budget.write(left - count),
              IO.map(() => true),
            ),
      ),
    )

/** The whole tree in memory. */
export const collect = (tree: Tree): T.Task<TreeNode> =>
  tree.type === 'file' ? T.of(tree) : pipe(tree.expand, T.flatMap(collectDirectory(tree)))

const collectChild = (child: Child): T.Task<ReadonlyArray<TreeNode>> =>
  child.type === 'files'
    ? T.of(nodesOf(child))
    : pipe(
        child.expand,
        T.flatMap((found) => (found.is === 'vanished' ? T.of([]) : pipe(collectDirectory(child)(found), T.map(RA.of)))),
      )

const decided = (expansion: Expansion): Decided =>
  tailRec(expansion, (next) => (next.is === 'undecided' ? E.left(next.decide()) : E.right(next)))

const collectDirectory =
  ({ type, name, visibility }: Directory) =>
  (undecided: Expansion): T.Task<TreeNode> => {
    const node = { type, name, visibility }
    const expansion = decided(undecided)
    return expansion.is === 'unexpanded'
      ? T.of(node)
      : pipe(
          Batch.collect(expansion.children).items,
          T.traverseSeqArray(collectChild),
          T.map((children) => ({ ...node, content: RA.flatten(children) })),
        )
  }
