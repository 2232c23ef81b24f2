import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { NodeVisibility } from './NodeVisibility.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import * as View from './View.js'
import type { Visibility } from './Visibility.js'

/** The path that is explained, or one above it. */
export interface Ancestor {
  readonly path: StoragePath.StoragePath
  /** What is set there; `none` when nothing is. */
  readonly own: O.Option<Visibility>
}

/** Why a path has the visibility it has, and what that means for a visitor. The owner sees every node. */
export interface Explanation {
  readonly visibility: NodeVisibility
  /** The path and its ancestors, nearest first, the root last. */
  readonly chain: ReadonlyArray<Ancestor>
  /** The nearest that has a setting; `none` when the area's default decides. */
  readonly decidedBy: O.Option<StoragePath.StoragePath>
  /** A visitor who asks for the path is answered. */
  readonly reachable: boolean
  /** A visitor who asks for the parent directory finds the node in it. Never so for the root. */
  readonly listed: boolean
}

/** Explains the visibility of a path. Total, from settings alone: it tells nothing of whether a node is there. */
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
      RA.findFirst(({ own }) => O.isSome(own)),
      O.map((ancestor) => ancestor.path),
    ),
    reachable: View.visitorReaches(settings, path),
    listed: pipe(
      StoragePath.parent(path),
      O.exists((parent) => View.visitorReaches(settings, parent) && View.visitorIsShown(visibility)),
    ),
  }
}
