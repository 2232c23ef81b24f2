import type { DirectoryItem } from '@canopy/client'

export interface Order {
  readonly by: 'name' | 'size' | 'time'
  readonly descending: boolean
  readonly directoriesFirst: boolean
  /** `IMG_2` before `IMG_10`, and no difference between capital and small letters. */
  readonly natural: boolean
}

/** By the bytes of the names: entries are shown as they come, page by page. Every other order needs the whole listing. */
export const serviceOrder: Order = { by: 'name', descending: false, directoriesFirst: false, natural: false }

export const isServiceOrder = ({ by, descending, directoriesFirst, natural }: Order): boolean =>
  by === 'name' && !descending && !directoriesFirst && !natural

type Items = ReadonlyArray<DirectoryItem>
type Compare = (one: number, other: number) => number

const folded = (text: string): string => text.normalize('NFC').toLowerCase()

const foldedNames = new WeakMap<Items, ReadonlyArray<string>>()

const foldedNamesOf = (items: Items): ReadonlyArray<string> => {
  const names = foldedNames.get(items) ?? items.map(({ name }) => folded(name))
  foldedNames.set(items, names)
  return names
}

const places = new WeakMap<Items, ReadonlyArray<number>>()

/** The place of each entry in natural order. Comparing with a collator is slow: it is done once for a listing. */
const naturalPlaces = (items: Items, locale: string): ReadonlyArray<number> => {
  const known = places.get(items)
  if (known !== undefined) return known
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const sorted = items.map((_, index) => index)
  sorted.sort((one, other) => compare(items[one]?.name ?? '', items[other]?.name ?? '') || one - other)
  const found = items.map(() => 0)
  sorted.forEach((index, place) => {
    found[index] = place
  })
  places.set(items, found)
  return found
}

const difference = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)

/** Entries come in byte order, so that their places say which name is first. */
const comparing = (items: Items, { by, natural }: Order, locale: string): Compare => {
  const placesOf = natural ? naturalPlaces(items, locale) : undefined
  const byName: Compare = (one, other) =>
    placesOf === undefined ? one - other : (placesOf[one] ?? 0) - (placesOf[other] ?? 0)
  if (by === 'name') return byName
  const values = items.map((item) => (by === 'size' ? item.size : item.last_modified))
  return (one, other) => difference(values[one] ?? 0n, values[other] ?? 0n) || byName(one, other)
}

/** The entries whose names contain the filter, in an order. */
export const arrange = (items: Items, order: Order, filter: string, locale: string): Items => {
  if (filter === '' && isServiceOrder(order)) return items
  const names = foldedNamesOf(items)
  const wanted = folded(filter)
  const found = items.map((_, index) => index).filter((index) => names[index]?.includes(wanted))
  if (!isServiceOrder(order)) {
    const compare = comparing(items, order, locale)
    const sign = order.descending ? -1 : 1
    const group = (index: number): number => (order.directoriesFirst && items[index]?.is_file ? 1 : 0)
    found.sort((one, other) => group(one) - group(other) || sign * compare(one, other))
  }
  return found.flatMap((index) => items[index] ?? [])
}
