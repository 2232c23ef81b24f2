import { type Listing, Name, type Signal } from '@canopy/domain'
import { add, type Directory, emptyDirectory } from './Directory.js'
import { beforeDirectory } from './keys.js'
import type { PageRequest } from './page.js'
import { caught, pageKeys, type Store } from './store.js'

/** The expected length of a run, in pages. */
const runPages = 3
/** The key behind its last directory shows that a run is complete: a run should end before its last page does. */
const sparePages = 0.2
/** If directories are larger than expected, a run ends after this number of pages, and the rest are read one by one. */
const maxPages = 5
/** Concurrent runs: the requested one and the next one. Directories that wait for their request take memory. */
const maxConcurrentRuns = 2
/** Runs whose directories can still be requested. */
const maxRuns = 4
/** Runs begun for one directory before it is read by itself. */
const maxTries = 3

interface RunEnv {
  readonly store: Pick<Store, 'page'>
  /** The key prefix of the directory above. */
  readonly prefix: string
  readonly isCancelled: () => boolean
  readonly measured: (keysEach: number) => void
}

/** Reads neighbouring directories and their subtrees, page by page. */
class Run {
  /** The directories that the run reads whole. */
  readonly names: Set<Name.Name>
  readonly end: number
  readonly #env: RunEnv
  readonly #lastName: Name.Name
  readonly #maxKeys: number
  readonly #unfinished = emptyDirectory()
  /** `undefined` for a directory that was taken. */
  readonly #whole = new Map<Name.Name, Directory | undefined>()
  #keyCount = 0
  /** The page that is being read. Resolves to whether another page follows. */
  #page: Promise<boolean>

  constructor(
    env: RunEnv,
    names: readonly [Name.Name, ...Name.Name[]],
    end: number,
    keysEach: number,
    start: Promise<unknown>,
  ) {
    this.#env = env
    this.names = new Set(names)
    this.end = end
    this.#lastName = names.at(-1) ?? names[0]
    // Pages of one size: otherwise most of the last page would belong to no directory of the run.
    const keys = names.length * keysEach + sparePages * pageKeys
    this.#maxKeys = Math.ceil(keys / Math.ceil(keys / pageKeys))
    const firstPage = () => this.#readPage(1, { after: beforeDirectory(`${env.prefix}${names[0]}`) })
    this.#page = caught(start.then(firstPage, firstPage))
  }

  /** Resolves when the run has read its last page. */
  async ended(): Promise<void> {
    while (await this.#page);
  }

  /** A directory as soon as it is complete; `undefined` if the run ends earlier. A tree requests each directory once. */
  async take(name: Name.Name): Promise<Directory | undefined> {
    while (!this.#whole.has(name) && (await this.#page));
    const found = this.#whole.get(name)
    this.#whole.set(name, undefined)
    return found
  }

  async #readPage(count: number, start: Pick<PageRequest, 'after' | 'from'>): Promise<boolean> {
    const { store, prefix, isCancelled, measured } = this.#env
    const { keys, end } = await store.page({ prefix, oneLevel: false, maxKeys: this.#maxKeys, ...start })
    for (const key of keys) add(this.#unfinished, key)
    const open = end === undefined ? undefined : keys.at(-1)?.names[0]
    for (const [name, directory] of this.#unfinished.below) if (name !== open) this.#whole.set(name, directory)
    for (const name of this.#whole.keys()) this.#unfinished.below.delete(name)
    this.#keyCount += keys.length
    measured(this.#keyCount / Math.max(1, this.#whole.size + this.#unfinished.below.size))
    if (end === undefined || this.#whole.has(this.#lastName)) return false
    if (count < maxPages && !isCancelled()) {
      this.#page = caught(this.#readPage(count + 1, { from: end }))
      return true
    }
    for (const name of this.names) if (!this.#whole.has(name)) this.names.delete(name)
    return false
  }
}

const keyOrder = (one: Name.Name, other: Name.Name): number => Name.byBytes.compare(`${one}/`, `${other}/`)

/**
 * The subdirectories on one page of a directory. Reads neighbours together, in runs, because a request for each would take a
 * tree of 100,000 objects in 10,100 directories 10,100 requests. The bench requires that tree in 0.8 of rclone's time.
 */
export class Siblings {
  /** The expected number of keys below one of them. */
  keysEach: number
  readonly #env: RunEnv
  readonly #listing: Listing.Listing
  #places: ReadonlyMap<Name.Name, number> | undefined
  #names: ReadonlyArray<Name.Name> = []
  #runs: ReadonlyArray<Run> = []
  /** Of the latest request. */
  #signal: Signal | undefined

  constructor(store: Pick<Store, 'page'>, prefix: string, listing: Listing.Listing, keysEach: number) {
    this.keysEach = keysEach
    this.#listing = listing
    this.#env = {
      store,
      prefix,
      isCancelled: () => this.#signal?.aborted === true,
      measured: (keysEach) => {
        this.keysEach = keysEach
      },
    }
  }

  /** A whole subdirectory; `undefined` if it is too large for a run, or has vanished. */
  async find(name: Name.Name, signal: Signal | undefined): Promise<Directory | undefined> {
    this.#signal = signal
    const place = this.#placeOf(name)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const run = this.#runAt(place)
      if (run === undefined) return undefined
      this.#runAt(run.end)
      const found = await run.take(name)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The position in the order of the keys. */
  #placeOf(name: Name.Name): number {
    if (this.#places === undefined) {
      const directories = [...this.#listing.entries].filter(({ type }) => type === 'dir')
      this.#names = directories.map(({ name }) => name).sort(keyOrder)
      this.#places = new Map(this.#names.map((name, place) => [name, place]))
    }
    return this.#places.get(name) ?? this.#names.length
  }

  /** The run that reads the directory at a place. */
  #runAt(place: number): Run | undefined {
    const name = this.#names[place]
    return name === undefined ? undefined : (this.#runs.find(({ names }) => names.has(name)) ?? this.#begin(place))
  }

  /** No run if two directories are expected to exceed it. */
  #begin(place: number): Run | undefined {
    const length = Math.floor(((runPages - sparePages) * pageKeys) / this.keysEach)
    const [first, ...rest] = this.#names.slice(place, place + length)
    if (first === undefined || rest.length === 0) return undefined
    const start = this.#runs.at(-maxConcurrentRuns)?.ended() ?? Promise.resolve()
    const run = new Run(this.#env, [first, ...rest], place + 1 + rest.length, this.keysEach, start)
    this.#runs = [...this.#runs.slice(1 - maxRuns), run]
    return run
  }
}
