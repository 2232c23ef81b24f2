import * as E from 'fp-ts/lib/Either.js'
import { constFalse, constTrue } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { Area } from './Area.js'
import type { Entry } from './Entry.js'
import * as Failure from './Failure.js'
import type * as Listing from './Listing.js'
import type { Name } from './Name.js'
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
  readonly mayRequest: (node: Visibility.NodeVisibility) => boolean
}

/** Returns the view of the owner, who sees every node. */
export const ofOwner = (area: Area, settings: Settings.Settings): View => ({
  area,
  settings,
  shows: constTrue,
  mayRequest: constTrue,
})

/** A visitor's rights to a node by its visibility, which is its own, by a setting or a rule, or inherited. */
const forVisitors = {
  public: { mayRequest: true, shownIfOwn: true, shownIfInherited: true },
  hidden: { mayRequest: true, shownIfOwn: false, shownIfInherited: true },
  private: { mayRequest: false, shownIfOwn: false, shownIfInherited: false },
} as const satisfies Readonly<Record<Visibility.Visibility, unknown>>

/** Reports whether a directory shows a child of this visibility to visitors. */
export const isShownToVisitors = ({ inherited, visibility }: Visibility.NodeVisibility): boolean =>
  forVisitors[visibility][inherited ? 'shownIfInherited' : 'shownIfOwn']

/** Reports whether a visitor may request a node of this visibility by name. */
export const isOpenToVisitors = ({ visibility }: Visibility.NodeVisibility): boolean =>
  forVisitors[visibility].mayRequest

export const ofVisitor = (area: Area, settings: Settings.Settings): View => ({
  area,
  settings,
  shows: isShownToVisitors,
  mayRequest: isOpenToVisitors,
})

/**
 * Reports whether a visitor may request this path. Decided from the settings and the path alone, so the decision does not
 * reveal whether a node exists.
 */
export const visitorMayRequest = (settings: Settings.Settings, path: StoragePath.StoragePath): boolean =>
  isOpenToVisitors(Settings.visibilityAt(settings, path))

/** With more settings than this, `mayReadAhead` answers no, instead of searching all of them for each tree. */
const maxSearchedSettings = 1_000

/**
 * Reports whether an adapter may read ahead below a directory: false if a setting withholds a path below it from the client, or if
 * the area has rules. Invisible nodes must not change the number of requests to the storage, and so the response time.
 */
export const mayReadAhead = ({ settings, shows }: View): ((directory: StoragePath.StoragePath) => boolean) => {
  const showsOwn = (visibility: Visibility.Visibility): boolean => shows(Visibility.notInherited(visibility))
  if (Visibility.all.every(showsOwn)) return constTrue
  if (Settings.size(settings) > maxSearchedSettings || Settings.rules(settings).length > 0) return constFalse
  const withheld = Array.from(Settings.entries(settings)).filter(([, visibility]) => !showsOwn(visibility))
  const above = new Set(withheld.flatMap(([path]) => StoragePath.upwards(path).slice(1)))
  return (directory) => !above.has(directory)
}

/** Builds a value from an entry that the client sees. */
export type OfChild<A> = (entry: Entry, visibility: Visibility.NodeVisibility) => A

interface ChildrenOptions {
  /** The index of the first entry; 0 by default. */
  readonly start?: number | undefined
  /** The effective visibility of the directory, where it is already known. */
  readonly visibility?: Visibility.NodeVisibility | undefined
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
    const { start = 0, visibility = Settings.visibilityAt(view.settings, directory) } = options
    const visibilityOf = Settings.visibilityOfChildren(view.settings, directory, visibility, entries.length)
    const isShown = (name: Name): boolean => {
      const ofName = visibilityOf(name)
      return ofName !== undefined && view.shows(ofName)
    }
    return unknown?.names.some(isShown)
      ? E.left(Failure.external(unknown.cause))
      : E.right({ [Symbol.iterator]: () => childrenOf({ view, entries, start, visibilityOf, ofChild }) })
  }

interface Children<A> {
  readonly view: View
  readonly entries: Listing.Entries
  readonly start: number
  readonly visibilityOf: ReturnType<typeof Settings.visibilityOfChildren>
  readonly ofChild: OfChild<A>
}

/** Not a generator, because with it the tree of cached directories takes 4 % longer. */
const childrenOf = <A>({
  view,
  entries,
  start,
  visibilityOf,
  ofChild,
}: Children<A>): Iterator<A | undefined, undefined> => {
  const position = { index: start }
  return {
    next: () => {
      const { index } = position
      if (index >= entries.length) return { done: true, value: undefined }
      position.index += 1
      const entry = entries.at(index)
      const visibility = entry && visibilityOf(entry.name)
      const isShown = visibility !== undefined && view.shows(visibility)
      return { done: false, value: entry && isShown ? ofChild(entry, visibility) : undefined }
    },
  }
}

/** Why a path has its visibility, and what a visitor may do with it. The owner sees every node. */
export interface Explanation {
  readonly visibility: Visibility.NodeVisibility
  /** The path and its ancestors, nearest first, the root last. */
  readonly chain: RNEA.ReadonlyNonEmptyArray<Settings.Step>
  /** The nearest path with a setting or a rule. Absent if the area's default decides. */
  readonly decidedBy: O.Option<Settings.Step>
  /** Whether a visitor may request the path. */
  readonly reachable: boolean
  /** Whether a visitor may request the parent directory and finds the node in it. Always false for the root. */
  readonly listed: boolean
}

/** Explains the visibility of a path from the settings alone. Total: the node need not exist. */
export const explainVisibility = (settings: Settings.Settings, path: StoragePath.StoragePath): Explanation => {
  const chain = RNEA.reverse(Settings.stepsTo(settings, path))
  const [{ visibility }, parent] = chain
  return {
    visibility,
    chain,
    decidedBy: O.fromNullable(chain.find(({ own, rule }) => O.isSome(own) || O.isSome(rule))),
    reachable: isOpenToVisitors(visibility),
    listed: parent !== undefined && isOpenToVisitors(parent.visibility) && isShownToVisitors(visibility),
  }
}
