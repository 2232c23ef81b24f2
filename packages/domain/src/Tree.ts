import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as Failure from './Failure.js'
import type * as StoragePath from './StoragePath.js'
import type { DirectoryTreeNode, FileTreeNode, TreeNode } from './TreeNode.js'
import { wholeNumber } from './wholeNumber.js'

/** A lazy tree. Each directory reads its children when its task runs. */
export type Tree = FileTreeNode | Directory<Exclude<Expansion, Vanished>>

export type Child = FileTreeNode | Directory

/** The requested directory never vanishes: if it cannot be listed, the operation fails. */
export interface Directory<Answer = Expansion> extends Omit<DirectoryTreeNode, 'content'> {
  /**
   * Has no side effects, so a consumer may run it early to read ahead. A failure ends the whole answer, because the client has
   * lost its access or (`external`) the answer cannot be completed consistently.
   */
  readonly children: TE.TaskEither<Failure.OfAccess, Answer>
}

export type Expansion = Listed | NotExpanded | Vanished

export interface Listed {
  readonly is: 'listed'
  /** In byte order of the names. Lazy: each iteration builds the children again. `undefined` for an entry that is not shown. */
  readonly children: Iterable<Child | undefined>
  /** Upper bound of the number of children, counting entries that are not shown. */
  readonly maxChildren: number
  /** Deducts the number of visible children from the node budget; `false` if the budget does not suffice. Call it once. */
  readonly admit: (count: number) => IO.IO<boolean>
}

/** Has no `content`: it is below the requested depth, cannot be read, or its children exceed the remaining node budget. */
export interface NotExpanded {
  readonly is: 'not expanded'
  readonly unreadable?: Unreadable
}

/** A directory that cannot be listed completely for the client. For the operator's log; never sent. */
export interface Unreadable {
  readonly path: StoragePath.StoragePath
  /** Usually an `Error`. */
  readonly cause: unknown
}

/** Removed, or no longer shown, since its parent was read. */
export interface Vanished {
  readonly is: 'vanished'
}

/** How much of a tree a request may return. Built by {@link bounds}. */
export type Bounds = BoundsFields & { readonly Bounds: unique symbol }

interface BoundsFields {
  /** Levels of children below the requested node; `none` for all. */
  readonly depth: O.Option<number>
  /** Maximum number of nodes. A directory whose children would exceed it is not expanded. */
  readonly nodes: number
}

const field = <Name extends string>(name: Name, value: number | string, min: number): E.Either<Name, number> =>
  E.fromOption(() => name)(wholeNumber(value, min))

/**
 * Left: the invalid field. `depth` is a whole number of at least 0, also in canonical decimal text; `nodes` a whole number
 * of at least 1. All levels and nodes by default.
 */
export const bounds = (fields: {
  readonly depth?: number | string | undefined
  readonly nodes?: number | undefined
}): E.Either<'depth' | 'nodes', Bounds> =>
  pipe(
    E.Do,
    E.bindW('depth', () =>
      pipe(
        O.fromNullable(fields.depth),
        O.traverse(E.Applicative)((depth) => field('depth', depth, 0)),
      ),
    ),
    E.bindW('nodes', () => field('nodes', fields.nodes ?? Number.POSITIVE_INFINITY, 1)),
    E.map((valid) => valid satisfies BoundsFields as Bounds),
  )

/** The whole tree. */
export const unbounded = { depth: O.none, nodes: Number.POSITIVE_INFINITY } satisfies BoundsFields as Bounds

/** Returns the whole tree in memory. Run it once: it consumes the node budget of the tree. */
export const collect = (tree: Tree): TE.TaskEither<Failure.OfAccess, TreeNode> =>
  tree.type === 'file' ? TE.right(tree) : pipe(tree.children, TE.flatMap(collectDirectory(tree)))

const collectDirectory =
  ({ type, name, visibility }: Directory<unknown>) =>
  (expansion: Listed | NotExpanded): TE.TaskEither<Failure.OfAccess, TreeNode> => {
    const node = { type, name, visibility }
    if (expansion.is !== 'listed') return TE.right(node)
    const children = [...expansion.children].filter((child) => child !== undefined)
    return expansion.admit(children.length)()
      ? pipe(
          children,
          TE.traverseSeqArray(collectChild),
          TE.map((content) => ({ ...node, content: RA.compact(content) })),
        )
      : TE.right(node)
  }

const collectChild = (child: Child): TE.TaskEither<Failure.OfAccess, O.Option<TreeNode>> =>
  child.type === 'file'
    ? TE.right(O.some(child))
    : pipe(
        child.children,
        TE.flatMap((expansion) =>
          expansion.is === 'vanished' ? TE.right(O.none) : pipe(collectDirectory(child)(expansion), TE.map(O.some)),
        ),
      )
