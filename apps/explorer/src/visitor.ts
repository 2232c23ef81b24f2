// Works out what a visitor can access, by running the server's own rules (@canopy/domain) on the visibilities loaded so far.
import { explainVisibility, Settings, StoragePath, View } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { SeenVisibility } from './knownVisibilities.js'

/** A node or one of its ancestors. */
export interface ChainNode {
  readonly name: string
  readonly visibility: SeenVisibility
}

/**
 * - `everyone`: visitors find the node from the root down.
 * - `listed`: visitors who know its directory find it there.
 * - `byName`: visitors must know its name.
 * - `byPathOnly`: visitors must know its path, because its directory is closed to them.
 * - `parentsUnknown`: visitors may open it; the visibilities of its ancestors are unknown.
 * - `private`: visitors may not open it.
 */
export type Access = 'everyone' | 'listed' | 'byName' | 'byPathOnly' | 'parentsUnknown' | 'private'

export interface Reason {
  readonly access: Access
  /** The index of the deciding node; `undefined` if it is above the known ones. */
  readonly decidedByIndex: number | undefined
}

/** Reports whether the directory of a node lists it for visitors. */
export const isListed = View.isShownToVisitors

/** Reports whether visitors may request a node. */
export const canRequest = View.isOpenToVisitors

/** Reconstructs settings from visibilities. If the topmost known visibility is inherited, it counts as set at the root. */
const settingsOf = (
  paths: ReadonlyArray<StoragePath.StoragePath>,
  chain: ReadonlyArray<ChainNode>,
): Settings.Settings => {
  const known = chain.flatMap(({ visibility }, depth) => (typeof visibility !== 'object' ? [] : { visibility, depth }))
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

/** Returns the access to the last of these nodes. `startsAtRoot`: the first one is the root of the area. */
const accessOf = (explained: ReadonlyArray<Explained>, startsAtRoot: boolean): Access => {
  const node = explained.at(-1)
  const parent = explained.at(-2)
  if (node === undefined || !node.reachable) return 'private'
  const isOpen = explained.every(({ reachable, listed }, depth) => (depth === 0 ? reachable : listed))
  if (startsAtRoot && isOpen) return 'everyone'
  if (parent === undefined) return 'parentsUnknown'
  if (node.listed) return 'listed'
  return parent.reachable ? 'byName' : 'byPathOnly'
}

/** Explains the visibility of the last node of a chain from the root. `undefined` if that visibility is unknown. */
export const reasonOf = (chain: ReadonlyArray<ChainNode>): Reason | undefined => {
  const names = chain.slice(1).map(({ name }) => name)
  const paths = chain.flatMap(
    (_, depth) => O.toUndefined(StoragePath.fromString(`/${names.slice(0, depth).join('/')}`)) ?? [],
  )
  const last = paths.at(-1)
  const firstKnown = chain.findLastIndex(({ visibility }) => typeof visibility !== 'object') + 1
  if (last === undefined || paths.length < chain.length || firstKnown === chain.length) return undefined
  const settings = settingsOf(paths.slice(firstKnown), chain.slice(firstKnown))
  const explained = paths.slice(firstKnown).map((path) => explainVisibility(settings, path))
  const { decidedBy } = explainVisibility(settings, last)
  const decidedByIndex = paths.indexOf(O.isNone(decidedBy) ? StoragePath.root : decidedBy.value.path)
  return {
    access: accessOf(explained, firstKnown === 0),
    decidedByIndex: decidedByIndex < firstKnown ? undefined : decidedByIndex,
  }
}
