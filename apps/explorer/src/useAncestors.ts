import { useEffect, useState } from 'preact/hooks'
import { knownVisibility, type SeenVisibility } from './knownVisibilities.js'
import { type Place, placeHref } from './routes.js'
import { fetchNode } from './service.js'

export interface Ancestors {
  /** From the root to the parent. */
  readonly visibilities: ReadonlyArray<SeenVisibility>
  readonly loadAll: () => void
}

const ancestorsOf = ({ view, names }: Place): ReadonlyArray<Place> =>
  names.map((_, depth) => ({ view, names: names.slice(0, depth) }))

/**
 * Returns the ancestors of a place as far as the page has seen them. A link into the depth requests the root alone; the
 * others load when someone asks. `undefined` until the root has answered.
 */
export const useAncestors = (place: Place, version: number): Ancestors | undefined => {
  const href = placeHref(place)
  const [loaded, setLoaded] = useState({ href: '', loads: 0 })
  const places = ancestorsOf(place)
  const load = async (wanted: ReadonlyArray<Place>): Promise<void> => {
    const missing = wanted.filter((ancestor) => knownVisibility(ancestor) === 'not loaded')
    await Promise.all(missing.map((ancestor) => fetchNode(ancestor, {})))
    setLoaded(({ loads }) => ({ href, loads: loads + 1 }))
  }
  useEffect(() => {
    void load(places.slice(0, 1))
  }, [href, version])
  const visibilities = places.map(knownVisibility)
  const isPending = visibilities[0] === 'not loaded' && loaded.href !== href
  return isPending ? undefined : { visibilities, loadAll: () => void load(places) }
}
