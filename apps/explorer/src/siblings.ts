// The files beside a file, in the order of the listing that leads to it.
import type { DirectoryItem } from '@canopy/client'
import { maxPageLimit, pageLimit } from './ListingLoader.js'
import { arrange, folderOrder, isServiceOrder, serviceOrder } from './order.js'
import { locale, preferences } from './preferences.js'
import { childOf, type Place, parentOf, placeHref } from './routes.js'
import { fetchPage } from './service.js'

type Rows = ReadonlyArray<DirectoryItem>

/** The rows of a listing as far as they are loaded. */
interface LoadedRows {
  readonly href: string
  readonly rows: Rows
  /** The name after which loading continues; `undefined` once the rows are complete. */
  readonly after: string | undefined
}

let kept: LoadedRows | undefined

/** Keeps the rows of a listing for the files that are opened from it. */
export const keepRows = (place: Place, rows: Rows, after: string | undefined): void => {
  kept = { href: placeHref(place), rows, after }
}

const isFile = ({ is_file }: DirectoryItem): boolean => is_file

type IsEnough = (rows: Rows) => boolean

/** Loads further rows until there are enough. Returns `undefined` if a page cannot be loaded. */
const loadUntil = async (place: Place, from: LoadedRows, isEnough: IsEnough): Promise<LoadedRows | undefined> => {
  let { rows, after } = from
  while (after !== undefined && !isEnough(rows)) {
    const page = await fetchPage(place, { limit: maxPageLimit, after })
    if ('failure' in page) return undefined
    const { items, isLast } = page.value
    rows = [...rows, ...items]
    after = isLast ? undefined : items.at(-1)?.name
  }
  return { ...from, rows, after }
}

/** Loads the rows of a listing that the page has not shown: one page, or all if the order needs them. */
const loadFirst = async (place: Place): Promise<LoadedRows | undefined> => {
  const page = await fetchPage(place, { limit: pageLimit, after: undefined })
  if ('failure' in page) return undefined
  const { items, isLast } = page.value
  const first = { href: placeHref(place), rows: items, after: isLast ? undefined : items.at(-1)?.name }
  const order = preferences().chosenOrder ?? (isLast ? folderOrder : serviceOrder)
  const loaded = isServiceOrder(order) ? first : await loadUntil(place, first, () => false)
  return loaded && { ...loaded, rows: arrange(loaded.rows, order, '', locale()) }
}

/** Finds the file `step` files after this one. */
export const fileBeside = async (place: Place, step: 1 | -1): Promise<Place | 'none' | 'failed'> => {
  const parent = parentOf(place)
  if (parent === undefined) return 'none'
  const indexIn = (rows: Rows): number => rows.findIndex(({ name }) => name === place.names.at(-1))
  const findBeside = (rows: Rows): DirectoryItem | undefined => {
    const index = indexIn(rows)
    if (index < 0) return undefined
    return step > 0 ? rows.slice(index + 1).find(isFile) : rows.slice(0, index).findLast(isFile)
  }
  const isEnough: IsEnough = (rows) => (step > 0 ? findBeside(rows) !== undefined : indexIn(rows) >= 0)
  const start = kept?.href === placeHref(parent) ? kept : await loadFirst(parent)
  const loaded = start && (await loadUntil(parent, start, isEnough))
  if (loaded === undefined) return 'failed'
  kept = loaded
  const found = findBeside(loaded.rows)
  return found === undefined ? 'none' : childOf(parent, found.name)
}
