// What visitors can do, by the rule of the service itself: the pure core, on the data of the one who looks.
import type { NodeVisibility } from '@canopy/client'
import { explainVisibility, Settings, StoragePath, View } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

/** A node or a directory above it; without a visibility where it is not open to the one who looks. */
export interface Link {
  readonly name: string
  readonly visibility: NodeVisibility | undefined
}

/**
 * How visitors come to a node: `everyone` finds it from the root on, `listed` where they know the way to its directory,
 * `unlisted` by its name, `covered` by its path, since the directory above is closed; `reached` where it is not known what
 * is above; or not at all.
 */
export type Access = 'everyone' | 'listed' | 'unlisted' | 'covered' | 'reached' | 'private'

export interface Reason {
  readonly access: Access
  /** Which link decides; `undefined` for one above what is open to the one who looks. */
  readonly decider: number | undefined
}

/** A visitor finds a node with this visibility in its directory. */
export const isShown = View.visitorIsShown

/** A visitor who asks for a node with this visibility is answered. */
export const isReached = View.visitorReaches

/** The settings that visibilities show. What is set above them all counts as set at the root. */
const settingsOf = (paths: ReadonlyArray<StoragePath.StoragePath>, links: ReadonlyArray<Link>): Settings.Settings => {
  const known = links.flatMap(({ visibility }, at) => (visibility === undefined ? [] : { visibility, at }))
  return Settings.fromEntries(
    known.flatMap(({ visibility, at }, index) => {
      const path = visibility.inherited && index === 0 ? StoragePath.root : paths[at]
      return path === undefined || (visibility.inherited && index > 0) ? [] : [[path, visibility.visibility] as const]
    }),
  )
}

/** Why a node has its visibility, from the root on. Nothing, where the last link itself is not known. */
export const reasonOf = (links: ReadonlyArray<Link>): Reason | undefined => {
  const names = links.slice(1).map(({ name }) => name)
  const paths = links.flatMap(
    (_, depth) => O.toUndefined(StoragePath.fromString(`/${names.slice(0, depth).join('/')}`)) ?? [],
  )
  const last = paths.at(-1)
  const top = links.findLastIndex(({ visibility }) => visibility === undefined) + 1
  if (last === undefined || paths.length < links.length || top === links.length) return undefined
  const settings = settingsOf(paths.slice(top), links.slice(top))
  const explained = paths.slice(top).map((path) => explainVisibility(settings, path))
  const { reachable, listed, decidedBy } = explainVisibility(settings, last)
  const decider = paths.indexOf(O.getOrElse(() => StoragePath.root)(decidedBy))
  const above = explained.at(-2)
  const isOpenFromRoot = top === 0 && explained.every((each, depth) => (depth === 0 ? each.reachable : each.listed))
  const access = !reachable
    ? 'private'
    : isOpenFromRoot
      ? 'everyone'
      : listed && above !== undefined
        ? 'listed'
        : above === undefined
          ? 'reached'
          : above.reachable
            ? 'unlisted'
            : 'covered'
  return { access, decider: decider < top ? undefined : decider }
}
