import type { NodeVisibility } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { type Place, placeHref } from './routes.js'
import { fetchAncestors } from './service.js'

type Visibilities = ReadonlyArray<NodeVisibility | undefined>

/** Returns the visibilities of a place's ancestors, from the root. `undefined` until loaded. */
export const useAncestors = (place: Place, version: number): Visibilities | undefined => {
  const href = placeHref(place)
  const [loaded, setLoaded] = useState<{ readonly href: string; readonly visibilities: Visibilities }>()
  useEffect(() => {
    const controller = new AbortController()
    const load = async (): Promise<void> => {
      const result = await fetchAncestors(place, { signal: controller.signal })
      if ('value' in result) setLoaded({ href, visibilities: result.value })
    }
    void load()
    return () => controller.abort()
  }, [href, version])
  return loaded?.href === href ? loaded.visibilities : undefined
}
