import * as E from 'fp-ts/lib/Either.js'
import { constTrue, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Area } from './Area.js'
import * as Failure from './Failure.js'
import type { Entries, Entry, Listing } from './Listing.js'
import type { Name } from './Name.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import * as Visibility from './Visibility.js'

/** An area as one asker sees it: what a directory shows to them. */
export interface View {
  readonly area: Area
  readonly settings: Settings.Settings
  readonly shows: (child: Visibility.NodeVisibility) => boolean
}

/** Every node is shown to the owner. */
export const ofOwner = (area: Area, settings: Settings.Settings): View => ({ area, settings, shows: constTrue })

/** What each visibility means to anyone else: may they ask for the node by name, and does its directory show it to them? */
const toVisitors = {
  public: { reached: true, shown: true },
  hidden: { reached: true, shown: 'if inherited' },
  private: { reached: false, shown: false },
} as const satisfies Readonly<Record<Visibility.Visibility, unknown>>

export const visitorIsShown = ({ inherited, visibility }: Visibility.NodeVisibility): boolean => {
  const { shown } = toVisitors[visibility]
  return shown === 'if inherited' ? inherited : shown
}

export const ofVisitor = (area: Area, settings: Settings.Settings): View => ({ area, settings, shows: visitorIsShown })

/** Whether a visitor may ask for a path by name. Decided from path and settings alone, so it does not reveal what exists. */
export const visitorReaches = (settings: Settings.Settings, path: StoragePath.StoragePath): boolean =>
  toVisitors[Settings.visibilityAt(settings, path).visibility].reached

/** What is made of an entry that the asker sees. */
export type OfChild<A> = (entry: Entry, visibility: Visibility.NodeVisibility) => A

const isSetBelow = (settings: Settings.Settings, directory: StoragePath.StoragePath): boolean => {
  const below = directory === StoragePath.root ? directory : `${directory}/`
  for (const path of settings.keys()) if (path.startsWith(below) && path !== directory) return true
  return false
}

/** `undefined` where the path would break a bound: such a child can neither be asked for nor be shown. */
type VisibilityOf = (name: Name) => Visibility.NodeVisibility | undefined

/** The visibility of each child: one value for all where nothing is set below. The settings are not searched for that where they outnumber the entries. */
const visibilityIn = (
  settings: Settings.Settings,
  directory: StoragePath.StoragePath,
  entries: number,
): VisibilityOf => {
  const inherited = Visibility.inherit(Settings.visibilityAt(settings, directory))
  if (settings.size <= entries && StoragePath.fitsAnyChild(directory) && !isSetBelow(settings, directory))
    return () => inherited
  return (name) => {
    const path = O.toUndefined(StoragePath.child(directory, name))
    if (path === undefined) return undefined
    const own = settings.get(path)
    return own === undefined ? inherited : Visibility.own(own)
  }
}

function* entriesFrom(entries: Entries, from: number): Generator<Entry | undefined, void> {
  for (const index of Array(entries.length - from).keys()) yield entries.at(from + index)
}

function* childrenOf<A>(
  { settings, shows }: View,
  directory: StoragePath.StoragePath,
  entries: Entries,
  ofChild: OfChild<A>,
  from: number,
): Generator<A | undefined, void> {
  const visibilityOf = visibilityIn(settings, directory, entries.length)
  for (const entry of from === 0 ? entries : entriesFrom(entries, from)) {
    const visibility = entry && visibilityOf(entry.name)
    yield entry && visibility && shows(visibility) ? ofChild(entry, visibility) : undefined
  }
}

const showsSome = (view: View, directory: StoragePath.StoragePath, names: ReadonlyArray<Name>): boolean => {
  const visibilityOf = visibilityIn(view.settings, directory, names.length)
  const shows = (visibility?: Visibility.NodeVisibility) => visibility !== undefined && view.shows(visibility)
  return names.some((name) => shows(visibilityOf(name)))
}

/**
 * What a directory shows to the asker, from an index of its listing on: one value for each entry, in order, `undefined` for
 * one that is not shown, so that a reader can stop between any two entries. The values are made while they are read, each
 * time that they are read. `external` if the asker would see an entry that the storage could not look at: an answer is
 * whole, or it is a failure.
 */
export const visibleChildren =
  <A>(view: View, directory: StoragePath.StoragePath, ofChild: OfChild<A>, from = 0) =>
  ({ entries, unknown }: Listing): E.Either<Failure.External, Iterable<A | undefined>> =>
    unknown !== undefined && showsSome(view, directory, unknown.names)
      ? E.left(Failure.external(unknown.cause))
      : E.right({ [Symbol.iterator]: () => childrenOf(view, directory, entries, ofChild, from) })

/** The path that is explained, or one above it. */
export interface Ancestor {
  readonly path: StoragePath.StoragePath
  /** What is set there; `none` when nothing is. */
  readonly own: O.Option<Visibility.Visibility>
}

/** Why a path has the visibility it has, and what that means for a visitor. The owner sees every node. */
export interface Explanation {
  readonly visibility: Visibility.NodeVisibility
  /** The path and its ancestors, nearest first, the root last. */
  readonly chain: ReadonlyArray<Ancestor>
  /** The nearest that has a setting; `none` when the area's default decides. */
  readonly decidedBy: O.Option<StoragePath.StoragePath>
  /** A visitor who asks for the path is answered. */
  readonly reachable: boolean
  /** A visitor who asks for the parent directory finds the node in it. Never so for the root. */
  readonly listed: boolean
}

/** Explains the visibility of a path. Total, and from settings alone: it does not say whether a node is there. */
export const explainVisibility = (settings: Settings.Settings, path: StoragePath.StoragePath): Explanation => {
  const visibility = Settings.visibilityAt(settings, path)
  const chain = pipe(
    StoragePath.upwards(path),
    RA.map((at): Ancestor => ({ path: at, own: Settings.ownAt(settings, at) })),
  )
  return {
    visibility,
    chain,
    decidedBy: pipe(
      chain,
      RA.findFirstMap(({ path: at, own }) => O.as(at)(own)),
    ),
    reachable: visitorReaches(settings, path),
    listed: pipe(
      StoragePath.parent(path),
      O.exists((parent) => visitorReaches(settings, parent) && visitorIsShown(visibility)),
    ),
  }
}
