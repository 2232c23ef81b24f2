import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import type { IORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { External } from './Failure.js'
import type { DirectoryTreeNode, FileTreeNode, TreeNode } from './TreeNode.js'

/**
 * A tree that unfolds as it is walked: a node, and for a directory a way to ask for its children. Walk it depth-first,
 * each directory once: the node budget is spent in the order of asking.
 */
export type Tree = FileTreeNode | Branch

export interface Branch extends Omit<DirectoryTreeNode, 'content'> {
  readonly expand: TE.TaskEither<External, Expansion>
}

export type Expansion =
  | { readonly is: 'expanded'; readonly children: ReadonlyArray<Tree> }
  /** Beyond the depth or the budget that was asked for. */
  | { readonly is: 'unexpanded' }
  /** No longer a directory: removed since its parent was read. */
  | { readonly is: 'vanished' }

export const unexpanded: Expansion = { is: 'unexpanded' }
export const vanished: Expansion = { is: 'vanished' }
export const expanded = (children: ReadonlyArray<Tree>): Expansion => ({ is: 'expanded', children })

export interface Bounds {
  /** Levels of children below the node; `none` for all. */
  readonly depth: O.Option<number>
  /** How many nodes an answer holds at most. A directory whose children would exceed it stays unexpanded. */
  readonly nodes: number
}

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

/** The whole tree in memory, or `none` when its root vanished. */
export const collect = (tree: Tree): TE.TaskEither<External, O.Option<TreeNode>> => {
  if (tree.type === 'file') return TE.right(O.some(tree))
  const { expand, ...node } = tree
  return pipe(expand, TE.flatMap(collectChildren(node)))
}

const collectChildren =
  (node: Omit<DirectoryTreeNode, 'content'>) =>
  (expansion: Expansion): TE.TaskEither<External, O.Option<TreeNode>> => {
    switch (expansion.is) {
      case 'vanished':
        return TE.right(O.none)
      case 'unexpanded':
        return TE.right(O.some(node))
      case 'expanded':
        return pipe(
          expansion.children,
          TE.traverseSeqArray(collect),
          TE.map((children) => O.some({ ...node, content: RA.compact(children) })),
        )
    }
  }
