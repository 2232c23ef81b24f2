// Sizes of the folders on the page, as far as their subtrees are loaded. The panels load subtrees; the listing shows the sizes.
import { useEffect, useState } from 'preact/hooks'
import { type Place, placeHref } from './routes.js'

type FolderSizes = ReadonlyMap<string, bigint>

let published: { readonly href: string; readonly sizes: FolderSizes } | undefined
const listeners = new Set<() => void>()

export const publishFolderSizes = (place: Place, sizes: FolderSizes): void => {
  published = { href: placeHref(place), sizes }
  for (const listener of listeners) listener()
}

/** Returns the sizes by name. */
export const useFolderSizes = (place: Place): FolderSizes | undefined => {
  const [, render] = useState(0)
  useEffect(() => {
    const listener = (): void => render((count) => count + 1)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
  return published?.href === placeHref(place) ? published.sizes : undefined
}
