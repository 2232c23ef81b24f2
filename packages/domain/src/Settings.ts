import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import type { Name } from './Name.js'
import * as Rules from './Rules.js'
import * as StoragePath from './StoragePath.js'
import * as Visibility from './Visibility.js'

// Registered symbols, so that copies of this package in one process can read the settings of each other.
const byPath: unique symbol = Symbol.for('canopy visibility by path')
const byName: unique symbol = Symbol.for('canopy rules by name')

/**
 * The visibilities set explicitly in one area, and its rules. Opaque and immutable. A setting belongs to a path, not to a
 * node: it may exist before the node does, and it outlives the node.
 */
export interface Settings {
  readonly [byPath]: ReadonlyMap<StoragePath.StoragePath, Visibility.Visibility>
  readonly [byName]: Rules.Rules
}

// constructors

/** Keeps the map itself, not a copy, so the caller must not change it afterwards. */
export const fromMap = (map: ReadonlyMap<StoragePath.StoragePath, Visibility.Visibility>): Settings => ({
  [byPath]: map,
  [byName]: [],
})

/** Adds rules, each in place of the one with its pattern. `none` if the rules would exceed their bounds. */
export const addRules = (settings: Settings, more: ReadonlyArray<Rules.Rule>): O.Option<Settings> =>
  O.map((all: Rules.Rules) => ({ ...settings, [byName]: all }))(Rules.fromRules([...settings[byName], ...more]))

/** Creates settings from entries. The last entry for a path wins. */
export const fromEntries = (entries: Iterable<readonly [StoragePath.StoragePath, Visibility.Visibility]>): Settings =>
  fromMap(new Map(entries))

/** Without settings the whole area is private. */
export const none: Settings = fromMap(new Map())

/**
 * Creates settings from literals: `fromRecord({ '/photos': 'public' })`. A key that is obviously not a path does not compile;
 * any other invalid key leaves the whole area private. For paths known only at run time use {@link fromEntries}.
 */
export const fromRecord = <const R extends Readonly<Record<string, Visibility.Visibility>>>(
  record: R & { readonly [K in keyof R]: K extends StoragePath.Literal<K> ? Visibility.Visibility : never },
): Settings =>
  pipe(
    Object.entries<Visibility.Visibility>(record),
    O.traverseArray(([text, visibility]) =>
      pipe(
        StoragePath.fromString(text),
        O.map((path) => [path, visibility] as const),
      ),
    ),
    O.match(() => none, fromEntries),
  )

// queries

/** Returns the number of paths with a setting. */
export const size = (settings: Settings): number => settings[byPath].size

export const rules = (settings: Settings): Rules.Rules => settings[byName]

export const entries = (settings: Settings): Iterable<readonly [StoragePath.StoragePath, Visibility.Visibility]> =>
  settings[byPath]

/** Returns the setting of the path itself. */
export const ownAt = (settings: Settings, path: StoragePath.StoragePath): O.Option<Visibility.Visibility> =>
  O.fromNullable(settings[byPath].get(path))

/** The visibility of a root without a setting. */
const areaDefault: Visibility.NodeVisibility = Visibility.notInherited('private')

/** A path on the way from the root to another path. */
export interface Step {
  readonly path: StoragePath.StoragePath
  /** The setting of the path itself. */
  readonly own: O.Option<Visibility.Visibility>
  /** The rule that decides about a path without a setting. */
  readonly rule: O.Option<Rules.Rule>
  readonly visibility: Visibility.NodeVisibility
}

/** A setting on the path itself wins; else the less visible of the inherited visibility and of the rules that match its name. */
const stepAt = (settings: Settings, path: StoragePath.StoragePath, inherited: Visibility.NodeVisibility): Step => {
  const own = settings[byPath].get(path)
  const rule = own === undefined ? Rules.ruleFor(settings[byName], StoragePath.name(path), inherited) : undefined
  const visibility = decide(own ?? rule?.visibility, inherited)
  return { path, own: O.fromNullable(own), rule: O.fromNullable(rule), visibility }
}

const decide = (
  set: Visibility.Visibility | undefined,
  inherited: Visibility.NodeVisibility,
): Visibility.NodeVisibility => (set === undefined ? inherited : Visibility.notInherited(set))

/** Returns the effective visibility of a path. Total: no node has to exist. */
export const visibilityAt = (settings: Settings, path: StoragePath.StoragePath): Visibility.NodeVisibility => {
  const parent = O.toUndefined(StoragePath.parent(path))
  const inherited = parent === undefined ? areaDefault : Visibility.inherit(visibilityAt(settings, parent))
  return stepAt(settings, path, inherited).visibility
}

/** Returns every path from the root down to this one, in one pass: one look-up per segment, and one for the root. */
export const stepsTo = (settings: Settings, path: StoragePath.StoragePath): RNEA.ReadonlyNonEmptyArray<Step> =>
  pipe(
    StoragePath.upwards(path),
    RA.reverse,
    RA.dropLeft(1),
    RA.scanLeft(stepAt(settings, StoragePath.root, areaDefault), (above, at) =>
      stepAt(settings, at, Visibility.inherit(above.visibility)),
    ),
  )

const hasSettingBelow = (settings: Settings, directory: StoragePath.StoragePath): boolean => {
  const prefix = directory === StoragePath.root ? directory : `${directory}/`
  for (const path of settings[byPath].keys()) if (path.startsWith(prefix) && path !== directory) return true
  return false
}

/** `undefined` for a child whose path would exceed the limits of a path, so that it can be neither requested nor shown. */
type VisibilityOfChild = (name: Name) => Visibility.NodeVisibility | undefined

/**
 * Returns the visibility of each child of a directory, given the directory's own visibility. Without a setting below the directory,
 * no path of a child is built. Finding that out takes a search of all settings, so it is done only if they are no more than the children.
 */
export const visibilityOfChildren = (
  settings: Settings,
  directory: StoragePath.StoragePath,
  visibility: Visibility.NodeVisibility,
  children: number,
): VisibilityOfChild => {
  const inherited = Visibility.inherit(visibility)
  const visibilityOf = (name: Name, own?: Visibility.Visibility): Visibility.NodeVisibility =>
    decide(own ?? Rules.ruleFor(settings[byName], name, inherited)?.visibility, inherited)
  if (size(settings) <= children && StoragePath.fitsAnyChild(directory) && !hasSettingBelow(settings, directory))
    // Stryker disable next-line ConditionalExpression: this only saves time
    return settings[byName].length === 0 ? () => inherited : (name) => visibilityOf(name)
  return (name) => {
    const path = O.toUndefined(StoragePath.child(directory, name))
    return path && visibilityOf(name, settings[byPath].get(path))
  }
}
