import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import { type IORef, newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Batch } from './Batch.js'
import type { Node } from './Entry.js'
import { early } from './early.js'
import * as Failure from './Failure.js'
import type { NodeVisibility } from './NodeVisibility.js'
import type { ListEnv } from './ports/list.js'
import { type NodeAtEnv, nodeAt } from './ports/nodeAt.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import { look, type Section, shownIn } from './shownIn.js'
import * as Tree from './Tree.js'
import type { View } from './View.js'
import { wholeFor } from './wholeFor.js'

interface Walk {
  readonly view: View
  readonly list: ListEnv['list']
  /** The node that was asked for, as it is when this runs. */
  readonly asked: ReturnType<NodeAtEnv['nodeAt']>
  readonly askedPath: StoragePath.StoragePath
  readonly budget: IORef<number>
}

interface At {
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
  /** Levels that may still be expanded. */
  readonly depth: O.Option<number>
}

const branch = (walk: Walk, at: At): Tree.Branch => {
  const node = { type: 'dir', name: StoragePath.name(at.path), visibility: at.visibility } as const
  if (O.isSome(at.depth) && at.depth.value <= 0) return { ...node, expand: TE.right(Tree.unexpanded) }
  const listing = early(walk.list(walk.view.area, at.path))()
  return { ...node, begin: listing.begin, expand: expand(walk, at, listing.take) }
}

const unfold = (walk: Walk, node: Node, at: At): Tree.Tree => {
  const name = StoragePath.name(at.path)
  return node.type === 'dir' || name === ''
    ? branch(walk, at)
    : { type: 'file', name, size: node.size, last_modified: node.last_modified, visibility: at.visibility }
}

const expand = (
  walk: Walk,
  at: At,
  listing: ReturnType<ListEnv['list']>,
): TE.TaskEither<Failure.External, Tree.Expansion> =>
  pipe(
    listing,
    TE.flatMapEither(wholeFor(walk.view, at.path)),
    TE.map(shownIn(walk.view, at.path)),
    TE.flatMapIO(({ count, sections }) =>
      pipe(
        count,
        O.match(
          () => counted(walk, at, sections),
          (known) => taken(walk, at, sections, known),
        ),
      ),
    ),
    TE.orElse(goneIsVanished(walk, at)),
  )

const taken = (walk: Walk, at: At, sections: ReadonlyArray<Section>, count: number): IO.IO<Tree.Expansion> =>
  pipe(
    Tree.take(walk.budget)(count),
    IO.map((isTaken) =>
      isTaken ? { is: 'expanded', count, children: childrenIn(walk, at, sections) } : Tree.unexpanded,
    ),
  )

/** Looks at one section in each step, as long as the budget may suffice. */
const counted =
  (walk: Walk, at: At, sections: ReadonlyArray<Section>, from = 0, before = 0): IO.IO<Tree.Expansion> =>
  () => {
    const next = from + 1
    const count = sections.slice(from, next).reduce((sum, section) => sum + look(section).count, before)
    return next < sections.length && count <= walk.budget.read()
      ? { is: 'undecided', decide: counted(walk, at, sections, next, count) }
      : taken(walk, at, sections, count)()
  }

const childrenIn = (walk: Walk, at: At, sections: ReadonlyArray<Section>, from = 0): Batch<Tree.Child, void> => {
  const depth = pipe(
    at.depth,
    O.map((levels) => levels - 1),
  )
  const items = sections
    .slice(from, from + 1)
    .flatMap((section) => look(section).children)
    .map((child) =>
      child.type === 'files' ? child : branch(walk, { path: child.path, visibility: child.visibility, depth }),
    )
  return from + 1 < sections.length
    ? { is: 'some', items, rest: () => childrenIn(walk, at, sections, from + 1) }
    : { is: 'last', items, end: undefined }
}

const askedIsGone = Failure.external(new Error('the directory that was asked for went away while its tree was walked'))

/** Where the node that was asked for is no directory any more, all below it is not found, and may well exist. */
const vanishedBelow = ({ asked }: Walk): TE.TaskEither<Failure.External, Tree.Expansion> =>
  pipe(
    asked,
    TE.mapLeft((failure) => (failure.error === 'external' ? failure : askedIsGone)),
    TE.filterOrElse(
      ({ type }) => type === 'dir',
      () => askedIsGone,
    ),
    TE.map(() => Tree.vanished),
  )

/** What was a directory a moment ago and is none now has vanished; any other failure is one of the whole answer. */
const goneIsVanished =
  (walk: Walk, { path }: At) =>
  (failure: Failure.OfStorage): TE.TaskEither<Failure.External, Tree.Expansion> =>
    failure.error === 'external'
      ? TE.left(failure)
      : path === walk.askedPath
        ? TE.right(Tree.vanished)
        : vanishedBelow(walk)

/** The node at a path and, as they are asked for, all nodes below it that the asker may see. */
export const treeAt =
  ({ path, mustBeDirectory }: StoragePath.RequestedPath, bounds: Tree.Bounds) =>
  (view: View) =>
    pipe(
      nodeAt(view.area, path),
      RTE.filterOrElseW(
        (node) => node.type === 'dir' || !mustBeDirectory,
        () => Failure.typeMismatch,
      ),
      RTE.flatMap((node) =>
        RTE.asksReaderTaskEither(({ list, nodeAt: nodeIn }: ListEnv & NodeAtEnv) =>
          RTE.fromIO(
            pipe(
              newIORef(bounds.nodes - 1),
              (created) => () =>
                unfold(
                  { view, list, asked: () => nodeIn(view.area, path)(), askedPath: path, budget: created() },
                  node,
                  {
                    path,
                    visibility: Settings.visibilityAt(view.settings, path),
                    depth: bounds.depth,
                  },
                ),
            ),
          ),
        ),
      ),
    )
