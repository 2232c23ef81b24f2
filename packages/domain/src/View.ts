import type { Area } from './Area.js'
import type { NodeVisibility } from './NodeVisibility.js'
import * as Settings from './Settings.js'
import type * as StoragePath from './StoragePath.js'
import type { Visibility } from './Visibility.js'

/** An area as one asker sees it: what a directory shows to them. */
export interface View {
  readonly area: Area
  readonly settings: Settings.Settings
  readonly shows: (child: NodeVisibility) => boolean
}

/** The owner sees every node. */
const ownerIsShown = (): boolean => true

export const ofOwner = (area: Area, settings: Settings.Settings): View => ({ area, settings, shows: ownerIsShown })

/** Anyone else sees, in a directory, what is public, and what is hidden only because the directory is. */
export const visitorIsShown = ({ inherited, visibility }: NodeVisibility): boolean =>
  visibility === 'public' || (visibility === 'hidden' && inherited)

export const ofVisitor = (area: Area, settings: Settings.Settings): View => ({ area, settings, shows: visitorIsShown })

const reachable: ReadonlySet<Visibility> = new Set(['public', 'hidden'])

/** What a visitor may ask for by name. Decided from path and settings alone, so it cannot tell what exists. */
export const visitorReaches = (settings: Settings.Settings, path: StoragePath.StoragePath): boolean =>
  reachable.has(Settings.visibilityAt(settings, path).visibility)
