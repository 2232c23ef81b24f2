import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import { type IORef, newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Batch } from './Batch.js'
import { early } from './early.js'
import * as Failure from './Failure.js'
import type { Listing } from './Listing.js'
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
  readonly budget: IORef<number>
}

interface At {
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
  /** Levels that may still be expanded. */
  readonly depth: O.Option<number>
}

const directoryAt = ({ path, visibility }: At) => ({ type: 'dir', name: StoragePath.name(path), visibility }) as const

const isAsDeepAsAsked = ({ depth }: At): boolean => O.isSome(depth) && depth.value <= 0

const root = (walk: Walk, at: At): TE.TaskEither<Failure.FileNotFound | Failure.External, Tree.Root> =>
  isAsDeepAsAsked(at)
    ? TE.right({ ...directoryAt(at), expand: T.of(Tree.unexpanded) })
    : pipe(
        walk.list(walk.view.area, at.path),
        TE.flatMapEither(wholeFor(walk.view, at.path)),
        TE.bimap(
          // It was a directory a moment ago.
          (failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure),
          (listing) => ({ ...directoryAt(at), expand: T.fromIO(expansion(walk, at)(listing)) }),
        ),
      )

const branch = (walk: Walk, at: At): Tree.Branch => {
  if (isAsDeepAsAsked(at)) return { ...directoryAt(at), expand: T.of(Tree.unexpanded) }
  const listing = early(walk.list(walk.view.area, at.path))()
  return {
    ...directoryAt(at),
    begin: listing.begin,
    expand: pipe(
      listing.take,
      TE.flatMapEither(wholeFor(walk.view, at.path)),
      TE.matchEW(notListed(walk, at), (known) => T.fromIO(expansion(walk, at)(known))),
    ),
  }
}

const expansion = (walk: Walk, at: At) => (listing: Listing) => {
  const { count, sections } = shownIn(walk.view, at.path)(listing)
  return O.isSome(count) ? taken(walk, at, sections, count.value) : counted(walk, at, sections)
}

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

const askedIsGone = new Error('the directory that was asked for went away while its tree was walked')

/**
 * A directory below the node that was asked for: what was one a moment ago and is none now has vanished. Where the node
 * that was asked for is itself no directory any more, all below it is not found and may well exist: then it is unreadable.
 */
const notListed =
  (walk: Walk, { path }: At) =>
  (failure: Failure.OfStorage): T.Task<Tree.Unexpanded | Tree.Vanished> =>
    failure.error === 'external'
      ? T.of(Tree.unreadable(path, failure.cause))
      : pipe(
          walk.asked,
          TE.match(
            (gone) => Tree.unreadable(path, gone.error === 'external' ? gone.cause : askedIsGone),
            ({ type }) => (type === 'dir' ? Tree.vanished : Tree.unreadable(path, askedIsGone)),
          ),
        )

type Found = RTE.ReaderTaskEither<unknown, Failure.FileNotFound | Failure.External, Tree.Tree>

/**
 * The node at a path and, as they are asked for, all nodes below it that the asker may see. Fails where that node itself
 * cannot be read; a directory below it that cannot be listed is not expanded.
 */
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
        RTE.asksReaderTaskEither((env: ListEnv & NodeAtEnv): Found => {
          const name = StoragePath.name(path)
          const visibility = Settings.visibilityAt(view.settings, path)
          if (node.type === 'file' && name !== '')
            return RTE.right({ type: 'file', name, size: node.size, last_modified: node.last_modified, visibility })
          const asked = () => env.nodeAt(view.area, path)()
          return pipe(
            RTE.fromIO(newIORef(bounds.nodes - 1)),
            RTE.flatMapTaskEither((budget) =>
              root({ view, list: env.list, asked, budget }, { path, visibility, depth: bounds.depth }),
            ),
          )
        }),
      ),
    )
