// The visitor's access to a node, by the rule of the service: the pure domain, on the visibilities that the page knows.
import type { NodeVisibility } from '@canopy/client'
import { explainVisibility, Settings, StoragePath, View } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

/** A node or one of its ancestors. Above the token's scope, its visibility is unknown. */
export interface ChainNode {
  readonly name: string
  readonly visibility: NodeVisibility | undefined
}

/**
 * - `everyone`: visitors find the node from the root down.
 * - `listed`: visitors who know its directory find it there.
 * - `unlisted`: visitors must know its name.
 * - `covered`: visitors must know its path, because its directory is closed to them.
 * - `reached`: visitors may open it; its ancestors are unknown.
 * - `private`: visitors may not open it.
 */
export type Access = 'everyone' | 'listed' | 'unlisted' | 'covered' | 'reached' | 'private'

export interface Reason {
  readonly access: Access
  /** The index of the deciding node; `undefined` if it is above the token's scope. */
  readonly decider: number | undefined
}

/** Whether the directory of a node lists it for visitors. */
export const isShown = View.isShownToVisitors

/** Whether visitors may request a node. */
export const isReached = View.visitorReaches

/** Reconstructs settings from visibilities. The topmost known visibility counts as set at the root. */
const settingsOf = (
  paths: ReadonlyArray<StoragePath.StoragePath>,
  chain: ReadonlyArray<ChainNode>,
): Settings.Settings => {
  const known = chain.flatMap(({ visibility }, depth) => (visibility === undefined ? [] : { visibility, depth }))
  return Settings.fromEntries(
    known.flatMap(({ visibility, depth }, index) => {
      const path = visibility.inherited && index === 0 ? StoragePath.root : paths[depth]
      return path === undefined || (visibility.inherited && index > 0) ? [] : [[path, visibility.visibility] as const]
    }),
  )
}

interface Explained {
  readonly reachable: boolean
  readonly listed: boolean
}

/** The access to the last of these nodes. `isWhole`: the first one is the root of the area. */
const accessOf = (explained: ReadonlyArray<Explained>, isWhole: boolean): Access => {
  const own = explained.at(-1)
  const parent = explained.at(-2)
  if (own === undefined || !own.reachable) return 'private'
  const isOpen = explained.every(({ reachable, listed }, depth) => (depth === 0 ? reachable : listed))
  if (isWhole && isOpen) return 'everyone'
  if (parent === undefined) return 'reached'
  if (own.listed) return 'listed'
  return parent.reachable ? 'unlisted' : 'covered'
}

/** Explains the visibility of the last node of a chain from the root. `undefined` if that visibility is unknown. */
export const reasonOf = (chain: ReadonlyArray<ChainNode>): Reason | undefined => {
  const names = chain.slice(1).map(({ name }) => name)
  const paths = chain.flatMap(
    (_, depth) => O.toUndefined(StoragePath.fromString(`/${names.slice(0, depth).join('/')}`)) ?? [],
  )
  const last = paths.at(-1)
  const top = chain.findLastIndex(({ visibility }) => visibility === undefined) + 1
  if (last === undefined || paths.length < chain.length || top === chain.length) return undefined
  const settings = settingsOf(paths.slice(top), chain.slice(top))
  const explained = paths.slice(top).map((path) => explainVisibility(settings, path))
  const { decidedBy } = explainVisibility(settings, last)
  const decider = paths.indexOf(O.getOrElse(() => StoragePath.root)(decidedBy))
  return { access: accessOf(explained, top === 0), decider: decider < top ? undefined : decider }
}
