// Sizes of the folders on the page, as far as their subtrees are loaded. The panels load subtrees; the listing shows the sizes.
import { type Place, placeHref } from './routes.js'
import { store } from './store.js'

type FolderSizes = ReadonlyMap<string, bigint>

const published = store<{ readonly href: string; readonly sizes: FolderSizes } | undefined>(undefined)

export const publishFolderSizes = (place: Place, sizes: FolderSizes): void =>
  published.set({ href: placeHref(place), sizes })

/** Returns the sizes by name. */
export const useFolderSizes = (place: Place): FolderSizes | undefined => {
  const found = published.use()
  return found?.href === placeHref(place) ? found.sizes : undefined
}
