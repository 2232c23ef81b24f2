import { type Entry, Listing, type ListOptions, Name } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { bytesOf, type ListedKey, type ObjectFields, textOf } from './keys.js'
import { type ListedEntry, PackedEntries } from './PackedEntries.js'
import type { Page, PageEnd, PageRequest } from './page.js'
import { hasKeysUnder, pageKeys, type Store } from './store.js'

// A store sorts keys and a listing sorts names. Of a file `a-1` and a directory `a` with the key `a/x`, the store lists `a-1` first,
// because `-` sorts before `/`; the listing has `a` first. So a directory that sorts before a listed name may still follow in the
// store.
//
// Let `last` be the last key that the store has listed, and `m` a listed name. Which names up to `m` may still follow?
// - Not a file: its key is its name `n`, and `n` > `last` >= `m`.
// - A directory `n` has the key prefix `n/`. If `n` sorts before `m` and is not a prefix of it, the first byte in which they
//   differ also decides `n/` against `m`, so the store has already listed it.
// - So only a directory whose name is a prefix of `m` may follow, and only if `n/` sorts after `last`. Then the byte of `m`
//   after `n` sorts before the slash: a control character, a space or one of !"#$%&'()*+,-.
// The page ends before the first such name that has enough entries in front of it. Such names before the end are looked up
// concurrently. `m` is a prefix of itself: a directory may replace the file `m`. Entries after the end are kept for the next page.

type LevelOptions = Pick<ListOptions, 'after' | 'minEntries' | 'previous' | 'signal'>

/** Extra keys to request, because some are invalid, or share their name with a directory. */
const spareKeys = 20

/** Keys after the last name of a page, and the point in the store where the next page continues. */
interface Rest {
  readonly entries: ReadonlyMap<string, ListedEntry>
  readonly invalid: ReadonlyArray<string>
  readonly end: PageEnd
}

/**
 * Keyed by page. Continuing from the store's token, not from a name, also lets the store's reader check the order of keys across
 * pages.
 */
const rests = new WeakMap<Listing.Listing, Rest>()

/** The keys of one directory that were read so far. Strings are bytes, one character each, relative to the directory. */
class Level {
  readonly #prefixLength: number
  readonly #after: string
  /** Keyed by name. */
  readonly #entries: Map<string, ListedEntry>
  readonly #invalid: Array<string>
  /** Where the store continues; `undefined` if it has listed all keys. */
  #storeEnd: PageEnd | undefined

  constructor(prefix: string, after: string, rest: Rest | undefined) {
    this.#prefixLength = bytesOf(prefix).length
    this.#after = bytesOf(after)
    this.#entries = new Map(rest?.entries)
    this.#invalid = [...(rest?.invalid ?? [])]
  }

  addPage({ keys, end }: Page): void {
    for (const key of keys) this.#add(key)
    this.#storeEnd = end
  }

  #add({ bytes, names: [name], invalidSegment, file }: ListedKey): void {
    const key = bytes.slice(this.#prefixLength)
    if (invalidSegment !== undefined) this.#invalid.push(key)
    else if (name !== undefined && file === undefined) this.addDirectory(name, key.slice(0, -1))
    else if (name !== undefined && !this.#entries.has(key)) this.#set(key, name, file)
  }

  /** Adds a directory, which wins over a file of the same name. */
  addDirectory(name: Name.Name, bytes = bytesOf(name)): void {
    this.#set(bytes, name, undefined)
  }

  size(): number {
    return this.#entries.size
  }

  #set(bytes: string, name: Name.Name, file: ObjectFields | undefined): void {
    if (bytes > this.#after) this.#entries.set(bytes, { name, file })
  }

  /** Reports whether the store may list this directory later. */
  #mayFollow(name: string): boolean {
    return this.#storeEnd !== undefined && `${name}/` > this.#storeEnd.last.slice(this.#prefixLength)
  }

  /**
   * Returns the names of a page of at least `minEntries` entries, and the directories to look up; `undefined` if more keys are
   * needed. Without `minEntries` the page keeps at least half of the entries read.
   */
  cut(minEntries: number | undefined): PageOfNames | undefined {
    const names = [...this.#entries.keys()].sort((one, other) => (one < other ? -1 : 1))
    if (this.#storeEnd === undefined) return { names, unconfirmed: [] }
    const enough = minEntries ?? Math.max(1, names.length / 2)
    const last = names.at(-1) ?? ''
    const unconfirmed = Array.from(last, (_, index) => last.slice(0, index + 1)).filter(
      (name) => name > this.#after && this.#mayFollow(name) && Name.is(textOf(name)),
    )
    for (const [index, name] of unconfirmed.entries()) {
      const before = names.filter((each) => each < name)
      if (before.length >= enough) return { names: before, unconfirmed: unconfirmed.slice(0, index) }
    }
    // If a directory may still replace the last name, the next page of the store tells.
    const isLastSettled = unconfirmed.at(-1) !== last
    return names.length >= enough && isLastSettled ? { names, unconfirmed } : undefined
  }

  /** Builds the page of these names. */
  page(names: ReadonlyArray<string>): Listing.Listing {
    const entries = new PackedEntries(names.flatMap((name) => this.#entries.get(name) ?? []))
    if (this.#storeEnd === undefined) return { entries, unlistable: this.#invalid.length, isPaged: true }
    const last = names.at(-1) ?? ''
    const laterInvalid = this.#invalid.filter((key) => key > last)
    const unlistable = this.#invalid.length - laterInvalid.length
    const page = { entries, unlistable, next: entries.at(-1)?.name, isPaged: true }
    const later = new Map([...this.#entries].filter(([name]) => name > last))
    rests.set(page, { entries: later, invalid: laterInvalid, end: this.#storeEnd })
    return page
  }
}

/** The names of a page, and the directories of which a look-up must tell whether they exist. */
interface PageOfNames {
  readonly names: ReadonlyArray<string>
  readonly unconfirmed: ReadonlyArray<string>
}

/** Truncates `after` to a start key that the store accepts: no name contains NUL or is longer than the limit. */
const searchable = (after: string): string => {
  let text = ''
  for (const character of after) {
    if (character === '\0' || Buffer.byteLength(text) > Name.maxBytes) break
    text += character
  }
  return text
}

/** Reads a page of the directory of a key prefix; `undefined` if the store lists no key there after `after`. */
export const levelPage = async (
  store: Pick<Store, 'page'>,
  prefix: string,
  { after, minEntries, previous, signal }: LevelOptions = {},
): Promise<Listing.Listing | undefined> => {
  const rest = previous && rests.get(previous)
  const level = new Level(prefix, after ?? '', rest)
  let position: Pick<PageRequest, 'after' | 'from'> =
    rest === undefined ? { after: after === undefined ? undefined : prefix + searchable(after) } : { from: rest.end }
  let isFound = rest !== undefined
  let cut: PageOfNames | undefined
  do {
    const needed = minEntries === undefined ? pageKeys : Math.max(0, minEntries - level.size()) + spareKeys
    const page = await store.page({ prefix, oneLevel: true, maxKeys: Math.min(pageKeys, needed), ...position }, signal)
    level.addPage(page)
    isFound ||= page.keys.length > 0
    cut = level.cut(minEntries)
    position = { from: page.end }
  } while (cut === undefined)
  if (!isFound) return undefined
  const lookUp = async (name: string): Promise<ReadonlyArray<string>> => {
    if (!(await hasKeysUnder(store, `${prefix}${textOf(name)}/`, signal))) return []
    level.addDirectory(textOf(name) as Name.Name)
    return [name]
  }
  const found = await Promise.all(cut.unconfirmed.map(lookUp))
  return level.page([...new Set([...cut.names, ...found.flat()])].sort((one, other) => (one < other ? -1 : 1)))
}

/** Yields all pages of a directory that follow `after`. */
export async function* levelPages(
  store: Pick<Store, 'page'>,
  prefix: string,
  after?: string,
): AsyncGenerator<Listing.Listing, void> {
  let page = await levelPage(store, prefix, { after })
  while (page !== undefined) {
    yield page
    page = page.next === undefined ? undefined : await levelPage(store, prefix, { after: page.next, previous: page })
  }
}

/** Finds an entry by a listing that begins just before its name, because a look-up could not tell its spelling. */
export const findListed = async (
  store: Pick<Store, 'page'>,
  prefix: string,
  name: Name.Name,
): Promise<Entry.Entry | undefined> => {
  for await (const page of levelPages(store, prefix, Name.justBefore(name))) {
    const entry = Listing.named(page, name)
    if (O.isSome(entry)) return entry.value
    if (page.next === undefined || Name.byBytes.compare(page.next, name) >= 0) return undefined
  }
  return undefined
}
