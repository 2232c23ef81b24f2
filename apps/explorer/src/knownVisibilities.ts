// Visibilities of directories that the page has seen, so that the way down to a place needs no requests.
import type { NodeVisibility } from '@canopy/client'
import { secretVersion } from './credentials.js'
import type { Place, View } from './routes.js'

/** `undefined` where the view may not look: above a token's scope, or closed to visitors. */
export type SeenVisibility = NodeVisibility | 'not loaded' | undefined

/** Forget all beyond this number, which bounds the memory. */
const maxKnown = 50_000

const known = new Map<string, NodeVisibility | undefined>()

/** Returns a name for everything that the view may see. */
export const clientOf = (view: View): string => (view.as === 'owner' ? `files ${secretVersion()}` : `id ${view.user}`)

const keyOf = ({ view, names }: Place): string => [clientOf(view), ...names].join('/')

export const knownVisibility = (place: Place): SeenVisibility => {
  const key = keyOf(place)
  return known.has(key) ? known.get(key) : 'not loaded'
}

export const setVisibility = (place: Place, visibility: NodeVisibility | undefined): void => {
  if (known.size >= maxKnown) known.clear()
  known.set(keyOf(place), visibility)
}
