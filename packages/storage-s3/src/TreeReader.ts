import type { Listing, ListOptions, Name, Signal } from '@canopy/domain'
import pLimit from 'p-limit'
import { add, type Directory, emptyDirectory, listingOf } from './Directory.js'
import { levelPage } from './levelPage.js'
import { Siblings } from './Siblings.js'
import { pageKeys, type Store } from './store.js'

/** Concurrent requests of one tree. Other requests need connections too. */
const maxConcurrentPages = 6
/** A guess for a directory whose first page does not show it. */
const expectedKeys = 20

/** One tree, whose requests share a queue. */
interface Walk {
  readonly store: Pick<Store, 'page'>
}

/** A directory of a walk, and the number of keys on its first page. */
interface ReadResult {
  readonly listing: Listing.Listing
  readonly keyCount: number
}

type PageOptions = Pick<ListOptions, 'after' | 'previous' | 'signal'>

/** Lists a subdirectory of a page; `undefined` if it has vanished. */
type ListChild = (name: Name.Name, signal: Signal | undefined) => Promise<Listing.Listing | undefined>

/**
 * Lists the directories of trees. One request for all levels returns a small subtree whole. A larger directory is listed by its
 * own level, and its subdirectories are read together: see {@link Siblings}.
 */
export class TreeReader {
  readonly #store: Store
  /** How to list the subdirectories of a page. */
  readonly #below = new WeakMap<Listing.Listing, { readonly walk: Walk; readonly list: ListChild }>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns a page of the directory of this name on the page `parent`; `undefined` if no key follows `after`. */
  async page(
    parent: Listing.Listing,
    name: Name.Name | '',
    prefix: string,
    options: PageOptions,
  ): Promise<Listing.Listing | undefined> {
    const below = this.#below.get(parent)
    const walk = below?.walk ?? this.#newWalk()
    if (options.after !== undefined) return this.#levelPage(walk, prefix, options)
    const known = below === undefined || name === '' ? undefined : await below.list(name, options.signal)
    return known ?? (await this.#read(walk, prefix, options.signal))?.listing
  }

  #newWalk(): Walk {
    const limit = pLimit(maxConcurrentPages)
    return { store: { page: (...request) => limit(() => this.#store.page(...request)) } }
  }

  /** Reads the first page of a directory. */
  async #read(walk: Walk, prefix: string, signal: Signal | undefined): Promise<ReadResult | undefined> {
    const { keys, end } = await walk.store.page({ prefix, oneLevel: false }, signal)
    if (keys.length === 0) return undefined
    const directory = emptyDirectory()
    for (const key of keys) add(directory, key)
    if (end === undefined) return { listing: this.#complete(walk, directory), keyCount: keys.length }
    const known = new Map(directory.below)
    const keysBelow = keys.filter(({ names, file }) => names.length > 1 || file === undefined).length
    const keysPerDirectory = known.size === 0 ? expectedKeys : keysBelow / known.size
    // More keys of the last directory may follow.
    const cutOff = keys.at(-1)?.names[0]
    if (cutOff !== undefined) known.delete(cutOff)
    const listing = await this.#levelPage(walk, prefix, { signal }, known, keysPerDirectory)
    return listing && { listing, keyCount: pageKeys }
  }

  /** Returns the listing of a directory whose keys were all read. */
  #complete(walk: Walk, directory: Directory): Listing.Listing {
    const listing = listingOf(directory)
    const list: ListChild = async (name) => {
      const child = directory.below.get(name)
      return child && this.#complete(walk, child)
    }
    this.#below.set(listing, { walk, list })
    return listing
  }

  async #levelPage(
    walk: Walk,
    prefix: string,
    options: PageOptions,
    known: ReadonlyMap<Name.Name, Directory> = new Map(),
    keysPerDirectory = expectedKeys,
  ): Promise<Listing.Listing | undefined> {
    const listing = await levelPage(walk.store, prefix, options)
    if (listing === undefined) return undefined
    const siblings = new Siblings(walk.store, prefix, listing, keysPerDirectory)
    const list: ListChild = async (name, signal) => {
      const child = known.get(name) ?? (await siblings.find(name, signal))
      if (child !== undefined) return this.#complete(walk, child)
      const alone = await this.#read(walk, `${prefix}${name}/`, signal)
      if (alone !== undefined) siblings.keysPerDirectory = alone.keyCount
      return alone?.listing
    }
    this.#below.set(listing, { walk, list })
    return listing
  }
}
