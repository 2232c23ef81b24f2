import { tailRec } from 'fp-ts/lib/ChainRec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import type { IORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Batch from './Batch.js'
import type { External } from './Failure.js'
import { type DirectoryTreeNode, type Files, type FileTreeNode, nodesOf, type TreeNode } from './TreeNode.js'

/**
 * A tree that unfolds as it is walked: a node, and for a directory a way to ask for its children. Walk it depth-first,
 * each directory once: the node budget is spent in the order of asking.
 */
export type Tree = FileTreeNode | Branch

export interface Branch extends Omit<DirectoryTreeNode, 'content'> {
  readonly expand: TE.TaskEither<External, Expansion>
  /** Begins what `expand` will have to wait for. Who begins it should expand it soon: until then it is held. */
  readonly begin?: IO.IO<void>
}

/** Files are never alone: those that stand side by side are one child. */
export type Child = Branch | Files

/** What a directory turns out to be once its children are asked for. */
export type Expansion =
  | { readonly is: 'expanded'; readonly count: number; readonly children: Batch.Batch<Child, void> }
  /** Not decided yet: there is more to look at than may be looked at in one step. This is the next one. */
  | { readonly is: 'undecided'; readonly decide: IO.IO<Expansion> }
  /** Beyond the depth or the budget that was asked for. */
  | { readonly is: 'unexpanded' }
  /** No longer a directory: removed since its parent was read. */
  | { readonly is: 'vanished' }

export type Decided = Exclude<Expansion, { readonly is: 'undecided' }>

export const unexpanded: Decided = { is: 'unexpanded' }
export const vanished: Decided = { is: 'vanished' }

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

/** The whole tree in memory, or `none` when its root vanished. */
export const collect = (tree: Tree): TE.TaskEither<External, O.Option<TreeNode>> => {
  if (tree.type === 'file') return TE.right(O.some(tree))
  const { type, name, visibility } = tree
  return pipe(tree.expand, TE.flatMap(collectChildren({ type, name, visibility })))
}

const collectChild = (child: Child): TE.TaskEither<External, ReadonlyArray<TreeNode>> =>
  child.type === 'files' ? TE.right(nodesOf(child)) : pipe(collect(child), TE.map(O.match(() => [], RA.of)))

const decided = (expansion: Expansion): Decided =>
  tailRec(expansion, (next) => (next.is === 'undecided' ? E.left(next.decide()) : E.right(next)))

const collectChildren =
  (node: Omit<DirectoryTreeNode, 'content'>) =>
  (undecided: Expansion): TE.TaskEither<External, O.Option<TreeNode>> => {
    const expansion = decided(undecided)
    switch (expansion.is) {
      case 'vanished':
        return TE.right(O.none)
      case 'unexpanded':
        return TE.right(O.some(node))
      case 'expanded':
        return pipe(
          Batch.collect(expansion.children).items,
          TE.traverseSeqArray(collectChild),
          TE.map((children) => O.some({ ...node, content: RA.flatten(children) })),
        )
    }
  }
