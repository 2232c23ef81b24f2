import type { DirectoryItem } from '@canopy/client'

export interface Order {
  readonly by: 'name' | 'size' | 'time'
  readonly descending: boolean
  readonly directoriesFirst: boolean
  /** `IMG_2` before `IMG_10`, ignoring case. */
  readonly natural: boolean
}

/** By the bytes of names. Entries show page by page; every other order needs the whole listing. */
export const serviceOrder: Order = { by: 'name', descending: false, directoriesFirst: false, natural: false }

/** The default for a listing that arrives whole. */
export const folderOrder: Order = { by: 'name', descending: false, directoriesFirst: true, natural: true }

export const isServiceOrder = ({ by, descending, directoriesFirst, natural }: Order): boolean =>
  by === 'name' && !descending && !directoriesFirst && !natural

type Items = ReadonlyArray<DirectoryItem>
/** Compares two items by index. */
type Compare = (one: number, other: number) => number

/** Ignores case, accents, and the dots of Turkish letters: `istanbul` matches `İSTANBUL`. */
const foldCase = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ı', 'i')

const foldedNames = new WeakMap<Items, ReadonlyArray<string>>()

const foldNames = (items: Items): ReadonlyArray<string> => {
  const names = foldedNames.get(items) ?? items.map(({ name }) => foldCase(name))
  foldedNames.set(items, names)
  return names
}

const naturalRanks = new WeakMap<Items, ReadonlyArray<number>>()

/** Returns the rank of each item in natural order. Collation is slow, so ranks are cached for each listing. */
const rankNaturally = (items: Items, locale: string): ReadonlyArray<number> => {
  const cached = naturalRanks.get(items)
  if (cached !== undefined) return cached
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const sorted = items.map((_, index) => index)
  sorted.sort((one, other) => compare(items[one]?.name ?? '', items[other]?.name ?? '') || one - other)
  const ranks = items.map(() => 0)
  sorted.forEach((index, rank) => {
    ranks[index] = rank
  })
  naturalRanks.set(items, ranks)
  return ranks
}

const compareBigints = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)

/** Items are in byte order of names, so comparing names means comparing indexes. */
const compareBy = (items: Items, { by, natural }: Order, locale: string): Compare => {
  const ranks = natural ? rankNaturally(items, locale) : undefined
  const byName: Compare = (one, other) => (ranks === undefined ? one - other : (ranks[one] ?? 0) - (ranks[other] ?? 0))
  if (by === 'name') return byName
  const values = items.map((item) => (by === 'size' ? item.size : item.last_modified))
  return (one, other) => compareBigints(values[one] ?? 0n, values[other] ?? 0n) || byName(one, other)
}

/** Filters items by a part of their names, and sorts them. */
export const arrange = (items: Items, order: Order, filter: string, locale: string): Items => {
  if (filter === '' && isServiceOrder(order)) return items
  const names = foldNames(items)
  const wanted = foldCase(filter)
  const found = items.map((_, index) => index).filter((index) => names[index]?.includes(wanted))
  if (!isServiceOrder(order)) {
    const compare = compareBy(items, order, locale)
    const sign = order.descending ? -1 : 1
    const group = (index: number): number => (order.directoriesFirst && items[index]?.is_file ? 1 : 0)
    found.sort((one, other) => group(one) - group(other) || sign * compare(one, other))
  }
  return found.flatMap((index) => items[index] ?? [])
}
