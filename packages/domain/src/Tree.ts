import * as E from 'fp-ts/lib/Either.js'
import { constTrue, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as Failure from './Failure.js'
import { optionalField, wholeNumber } from './fields.js'
import * as NamePattern from './NamePattern.js'
import * as StoragePath from './StoragePath.js'
import type { DirectoryTreeNode, FileTreeNode, TreeNode } from './TreeNode.js'
import type { U64 } from './U64.js'

/** A lazy tree. Each directory reads its children when its task runs. */
export type Tree = TopFile | TopDirectory

/** The requested node is a file. */
export interface TopFile extends FileTreeNode, Pick<Directory, 'path' | 'wasSent'> {}

/** The requested node is a directory. It never vanishes: if it cannot be listed, the operation fails. */
export type TopDirectory = Directory<Present>

export type Child = FileTreeNode | Directory

export interface Directory<Answer = Expansion> extends Omit<DirectoryTreeNode, 'content'> {
  readonly path: StoragePath.StoragePath
  /** Whether an earlier response has its line, because the lines start after this node or below it. */
  readonly wasSent: boolean
  /** Unix time in seconds. Only lines show it. */
  readonly last_modified: U64
  /**
   * Has no side effects, so a consumer may run it early to read ahead. A failure ends the whole answer, because the client has
   * lost its access or (`external`) the answer cannot be completed consistently.
   */
  readonly children: TE.TaskEither<Failure.OfAccess, Answer>
}

export type Expansion = Present | Vanished

/** Of a directory that is still there. */
export type Present = Listed | NotExpanded

export interface Listed {
  readonly is: 'listed'
  /** In byte order of the names. Lazy: each iteration builds the children again. `undefined` for an entry that is not shown. */
  readonly children: Iterable<Child | undefined>
  /** Upper bound of the number of children, counting entries that are not shown. */
  readonly maxChildren: number
  /**
   * Deducts the number of visible children from the node budget; `false` if the budget does not suffice. Call it once. For
   * nested trees only: lines end at the budget, wherever they are.
   */
  readonly admit: (count: number) => IO.IO<boolean>
  /** Reads the children on the next page of the storage. For lines only: a nested tree has all children of a directory. */
  readonly next?: TE.TaskEither<Failure.OfAccess, Expansion> | undefined
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
  /** Levels of children below the requested node; all by default. */
  readonly depth: O.Option<number>
  /**
   * Maximum number of nodes. In a nested tree, a directory whose children would exceed it is not expanded. Lines go into that
   * directory and end after as many nodes, because a client can continue there.
   */
  readonly nodes: number
  /** Whether the tree is one of lines. */
  readonly asLines: boolean
  /** Only lines that follow this path depth first: the requested path or one below it. No node needs to exist there. */
  readonly after: O.Option<StoragePath.StoragePath>
  /** Only lines of nodes whose names match. */
  readonly matches: (name: string) => boolean
}

/**
 * Left: the invalid field. `depth` is a whole number of at least 0, also in canonical decimal text; `nodes` a whole number
 * of at least 1. All levels and nodes by default. With `lines` the tree is one of lines.
 */
export const bounds = (fields: {
  readonly depth?: number | string | undefined
  readonly nodes?: number | undefined
  readonly lines?: { readonly after?: string | undefined; readonly name?: string | undefined } | undefined
}): E.Either<'depth' | 'nodes' | 'after' | 'name', Bounds> =>
  pipe(
    E.Do,
    E.bindW('depth', () => optionalField('depth', fields.depth, wholeNumber(0))),
    E.bindW('nodes', () => optionalField('nodes', fields.nodes, wholeNumber(1))),
    E.bindW('after', () => optionalField('after', fields.lines?.after, StoragePath.fromString)),
    E.bindW('name', () => optionalField('name', fields.lines?.name, NamePattern.fromString)),
    E.map(({ nodes, name, ...valid }) => ({
      ...valid,
      nodes: O.getOrElse(() => unbounded.nodes)(nodes),
      matches: O.isSome(name) ? (given: string) => NamePattern.matches(name.value, given) : unbounded.matches,
      asLines: fields.lines !== undefined,
    })),
    E.map((valid) => valid satisfies BoundsFields as Bounds),
  )

/** The whole tree. */
export const unbounded = {
  depth: O.none,
  nodes: Number.POSITIVE_INFINITY,
  asLines: false,
  after: O.none,
  matches: constTrue as BoundsFields['matches'],
} satisfies BoundsFields as Bounds

/** Returns the whole tree in memory. Run it once: it consumes the node budget of the tree. */
export const collect = (tree: Tree): TE.TaskEither<Failure.OfAccess, TreeNode> => {
  if (tree.type === 'dir') return pipe(tree.children, TE.flatMap(collectDirectory(tree)))
  const { path: _, wasSent: __, ...file } = tree
  return TE.right(file)
}

const collectDirectory =
  ({ type, name, visibility }: Directory<unknown>) =>
  (expansion: Present): TE.TaskEither<Failure.OfAccess, TreeNode> => {
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
