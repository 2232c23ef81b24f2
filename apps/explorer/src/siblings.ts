// The files beside a file, in the order of the listing that leads to it.
import type { DirectoryItem } from '@canopy/client'
import { maxPageLimit } from './ListingLoader.js'
import { arrange, folderOrder } from './order.js'
import { locale, preferences } from './preferences.js'
import { type Place, parentOf, placeHref } from './routes.js'
import { fetchPage } from './service.js'

type Rows = ReadonlyArray<DirectoryItem>

let shown: { readonly href: string; readonly rows: Rows } | undefined

/** Keeps the rows of a listing for the files that are opened from it. */
export const keepRows = (place: Place, rows: Rows): void => {
  shown = { href: placeHref(place), rows }
}

const rowsOf = async (place: Place): Promise<Rows> => {
  if (shown?.href === placeHref(place)) return shown.rows
  const page = await fetchPage(place, { limit: maxPageLimit, after: undefined }, {})
  if ('failure' in page) return []
  const rows = arrange(page.value.items, preferences().chosenOrder ?? folderOrder, '', locale())
  keepRows(place, rows)
  return rows
}

/** Returns the file `step` files after this one. Loads the listing if the page came here by a link. */
export const fileBeside = async (place: Place, step: 1 | -1): Promise<Place | undefined> => {
  const parent = parentOf(place)
  if (parent === undefined) return undefined
  const files = (await rowsOf(parent)).filter(({ is_file }) => is_file)
  const index = files.findIndex(({ name }) => name === place.names.at(-1))
  const name = index < 0 ? undefined : files[index + step]?.name
  return name === undefined ? undefined : { ...parent, names: [...parent.names, name] }
}
