import * as E from 'fp-ts/lib/Either.js'
import { constFalse, constTrue, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { Area } from './Area.js'
import * as Failure from './Failure.js'
import type * as Listing from './Listing.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import * as Visibility from './Visibility.js'

/** An area as one client sees it. */
export interface View {
  readonly area: Area
  readonly settings: Settings.Settings
  /** Reports whether a directory shows a child of this visibility to the client. */
  readonly shows: (child: Visibility.NodeVisibility) => boolean
  /** Reports whether the client may request a node of this visibility by name. */
  readonly reaches: (node: Visibility.NodeVisibility) => boolean
}

/** Returns the view of the owner, who sees every node. */
export const ofOwner = (area: Area, settings: Settings.Settings): View => ({
  area,
  settings,
  shows: constTrue,
  reaches: constTrue,
})

/** Whether a visitor may request a node by name, and whether the directory of the node shows it. */
const forVisitors = {
  public: { reachable: true, shown: true },
  hidden: { reachable: true, shown: 'if inherited' },
  private: { reachable: false, shown: false },
} as const satisfies Readonly<Record<Visibility.Visibility, unknown>>

export const isShownToVisitors = ({ inherited, visibility }: Visibility.NodeVisibility): boolean => {
  const { shown } = forVisitors[visibility]
  return shown === 'if inherited' ? inherited : shown
}

/** Reports whether a visitor may request a node of this visibility by name. */
export const visitorReaches = ({ visibility }: Visibility.NodeVisibility): boolean => forVisitors[visibility].reachable

export const ofVisitor = (area: Area, settings: Settings.Settings): View => ({
  area,
  settings,
  shows: isShownToVisitors,
  reaches: visitorReaches,
})

/**
 * Reports whether a visitor may request this path. Decided from the settings and the path alone, so the decision does not
 * reveal whether a node exists.
 */
export const visitorMaySee = (settings: Settings.Settings, path: StoragePath.StoragePath): boolean =>
  visitorReaches(Settings.visibilityAt(settings, path))

/** With more settings than this, every directory counts as hiding, because a tree must not search a million settings. */
const maxSearchedSettings = 1_000

/**
 * Reports whether the settings hide a path below a directory from the client. An adapter must not read ahead there, because
 * invisible nodes would change the number of its requests, and so the response time.
 */
export const hidesBelow = ({ settings, shows }: View): ((directory: StoragePath.StoragePath) => boolean) => {
  const isHidden = (visibility: Visibility.Visibility): boolean => !shows(Visibility.own(visibility))
  if (!isHidden('private')) return constFalse
  if (Settings.size(settings) > maxSearchedSettings) return constTrue
  const above = Array.from(Settings.entries(settings)).flatMap(([path, visibility]) =>
    isHidden(visibility) ? StoragePath.upwards(path).slice(1) : [],
  )
  const hiding = new Set(above)
  return (directory) => hiding.has(directory)
}

/** Builds a value from an entry that the client sees. */
export type OfChild<A> = (entry: Listing.Entry, visibility: Visibility.NodeVisibility) => A

interface ChildrenOptions {
  /** The index of the first entry; 0 by default. */
  readonly start?: number | undefined
  /** The effective visibility of the directory, where it is already known. */
  readonly visibility?: Visibility.NodeVisibility | undefined
}

function* entriesFrom(entries: Listing.Entries, start: number): Generator<Listing.Entry | undefined, void> {
  for (const index of Array(entries.length - start).keys()) yield entries.at(start + index)
}

/** A directory of a view, with its effective visibility. */
interface Shown {
  readonly view: View
  readonly directory: StoragePath.StoragePath
  readonly visibility: Visibility.NodeVisibility
}

// At the top level, because V8 never optimizes a generator that is created for each directory.
function* childrenOf<A>(
  { view: { settings, shows }, directory, visibility }: Shown,
  entries: Listing.Entries,
  ofChild: OfChild<A>,
  start: number,
): Generator<A | undefined, void> {
  const visibilityOf = Settings.visibilityOfChildren(settings, directory, visibility, entries.length)
  for (const entry of start === 0 ? entries : entriesFrom(entries, start)) {
    const childVisibility = entry && visibilityOf(entry.name)
    yield entry && childVisibility && shows(childVisibility) ? ofChild(entry, childVisibility) : undefined
  }
}

const showsSome = ({ view, directory, visibility }: Shown, names: Listing.Unknown['names']): boolean => {
  const visibilityOf = Settings.visibilityOfChildren(view.settings, directory, visibility, names.length)
  return names.some((name) => pipe(O.fromNullable(visibilityOf(name)), O.exists(view.shows)))
}

/**
 * Returns the entries of a listing that a directory shows to the client, in order, with `undefined` for each entry that it does
 * not show, so that a consumer can yield to other work between any two entries. Lazy: each iteration builds the values again.
 * `external` if the client would see an entry that the storage could not examine, because an answer is never silently
 * incomplete.
 */
export const visibleChildren =
  <A>(view: View, directory: StoragePath.StoragePath, ofChild: OfChild<A>, options: ChildrenOptions = {}) =>
  ({ entries, unknown }: Listing.Listing): E.Either<Failure.External, Iterable<A | undefined>> => {
    const visibility = options.visibility ?? Settings.visibilityAt(view.settings, directory)
    const shown = { view, directory, visibility }
    return unknown !== undefined && showsSome(shown, unknown.names)
      ? E.left(Failure.external(unknown.cause))
      : E.right({ [Symbol.iterator]: () => childrenOf(shown, entries, ofChild, options.start ?? 0) })
  }

/** The explained path or one of its ancestors. */
export type Ancestor = Pick<Settings.Step, 'path' | 'own' | 'rule'>

/** Why a path has its visibility, and what a visitor may do with it. The owner sees every node. */
export interface Explanation {
  readonly visibility: Visibility.NodeVisibility
  /** The path and its ancestors, nearest first, the root last. */
  readonly chain: ReadonlyArray<Ancestor>
  /** The nearest path that does not inherit: it has a setting, or a rule decides. `none` when the area's default decides. */
  readonly decidedBy: O.Option<StoragePath.StoragePath>
  /** Whether a visitor may request the path. */
  readonly reachable: boolean
  /** Whether a visitor may request the parent directory and finds the node in it. Always false for the root. */
  readonly listed: boolean
}

/** Explains the visibility of a path from the settings alone. Total: the node need not exist. */
export const explainVisibility = (settings: Settings.Settings, path: StoragePath.StoragePath): Explanation => {
  const steps = RNEA.reverse(Settings.stepsTo(settings, path))
  const [{ visibility }, parent] = steps
  const chain = steps.map(({ path: at, own, rule }): Ancestor => ({ path: at, own, rule }))
  return {
    visibility,
    chain,
    decidedBy: pipe(
      chain,
      RA.findFirst(({ own, rule }) => O.isSome(own) || O.isSome(rule)),
      O.map(({ path: at }) => at),
    ),
    reachable: visitorReaches(visibility),
    listed: parent !== undefined && visitorReaches(parent.visibility) && isShownToVisitors(visibility),
  }
}
