import { type Listing, Name, type Signal } from '@canopy/domain'
import { add, type Directory, emptyDirectory } from './Directory.js'
import { beforeDirectory } from './keys.js'
import type { PageRequest } from './page.js'
import { ignoreRejection, pageKeys, type Store } from './store.js'

// A run is one paged listing that covers several adjacent subdirectories with everything below them.

/** The expected length of a run, in pages. */
const runPages = 5
/** The part of the last page to leave free. The last directory is known complete only once a later key appears. */
const sparePages = 0.1
/** If directories are larger than expected, a run ends after this number of pages, and the others are read one by one. */
const maxPages = 8
/** Concurrent runs: the requested one and the next one. More would fill memory with unclaimed directories. */
const maxConcurrentRuns = 2
/** Runs whose directories can still be requested. */
const maxRuns = 4
/** Runs to try before falling back to listing one directory. */
const maxTries = 3

interface RunEnv {
  readonly store: Pick<Store, 'page'>
  /** The key prefix of the parent directory. */
  readonly prefix: string
  readonly isCancelled: () => boolean
  readonly onMeasured: (keysPerDirectory: number) => void
}

/** Reads adjacent directories and their subtrees, page by page. */
class Run {
  /** The directories that the run reads whole. */
  readonly names: Set<Name.Name>
  /** The index of the first directory after the run. */
  readonly nextIndex: number
  readonly #env: RunEnv
  readonly #lastName: Name.Name
  readonly #maxKeys: number
  readonly #partial = emptyDirectory()
  /** `undefined` for a directory that was taken. */
  readonly #complete = new Map<Name.Name, Directory | undefined>()
  #keyCount = 0
  /** Settles when the current page is read. Resolves to whether another page follows. */
  #hasMore: Promise<boolean>

  constructor(
    env: RunEnv,
    names: readonly [Name.Name, ...Name.Name[]],
    nextIndex: number,
    keysPerDirectory: number,
    start: Promise<unknown>,
  ) {
    this.#env = env
    this.names = new Set(names)
    this.nextIndex = nextIndex
    this.#lastName = names.at(-1) ?? names[0]
    // Split the keys evenly over the pages. Otherwise most of the last page would be wasted.
    const keys = names.length * keysPerDirectory + sparePages * pageKeys
    this.#maxKeys = Math.ceil(keys / Math.ceil(keys / pageKeys))
    const firstPage = () => this.#readPage(1, { after: beforeDirectory(`${env.prefix}${names[0]}`) })
    this.#hasMore = ignoreRejection(start.then(firstPage, firstPage))
  }

  /** Resolves when the run has read its last page. */
  async ended(): Promise<void> {
    while (await this.#hasMore);
  }

  /** Returns a directory as soon as it is complete; `undefined` if the run ends earlier. A tree requests each directory once. */
  async take(name: Name.Name): Promise<Directory | undefined> {
    while (!this.#complete.has(name) && (await this.#hasMore));
    const found = this.#complete.get(name)
    this.#complete.set(name, undefined)
    return found
  }

  async #readPage(count: number, start: Pick<PageRequest, 'after' | 'from'>): Promise<boolean> {
    const { store, prefix, isCancelled, onMeasured } = this.#env
    const { keys, end } = await store.page({ prefix, oneLevel: false, maxKeys: this.#maxKeys, ...start })
    for (const key of keys) add(this.#partial, key)
    const cutOff = end === undefined ? undefined : keys.at(-1)?.names[0]
    for (const [name, directory] of this.#partial.below) if (name !== cutOff) this.#complete.set(name, directory)
    for (const name of this.#complete.keys()) this.#partial.below.delete(name)
    this.#keyCount += keys.length
    onMeasured(this.#keyCount / Math.max(1, this.#complete.size + this.#partial.below.size))
    if (end === undefined || this.#complete.has(this.#lastName)) return false
    if (count < maxPages && !isCancelled()) {
      this.#hasMore = ignoreRejection(this.#readPage(count + 1, { from: end }))
      return true
    }
    for (const name of this.names) if (!this.#complete.has(name)) this.names.delete(name)
    return false
  }
}

const keyOrder = (one: Name.Name, other: Name.Name): number => Name.byBytes.compare(`${one}/`, `${other}/`)

/**
 * Reads the subdirectories on one page of a directory, adjacent ones together in runs, because one request per directory would
 * mean 10,100 requests for 100,000 objects in 10,100 directories. The bench requires that tree in 0.8 of rclone's time.
 */
export class Siblings {
  /** The expected number of keys below one of them. */
  keysPerDirectory: number
  readonly #env: RunEnv
  readonly #listing: Listing.Listing
  #indexes: ReadonlyMap<Name.Name, number> | undefined
  #names: ReadonlyArray<Name.Name> = []
  #runs: ReadonlyArray<Run> = []
  /** The signal of the latest request. */
  #signal: Signal | undefined

  constructor(store: Pick<Store, 'page'>, prefix: string, listing: Listing.Listing, keysPerDirectory: number) {
    this.keysPerDirectory = keysPerDirectory
    this.#listing = listing
    this.#env = {
      store,
      prefix,
      isCancelled: () => this.#signal?.aborted === true,
      onMeasured: (keysPerDirectory) => {
        this.keysPerDirectory = keysPerDirectory
      },
    }
  }

  /** Returns a whole subdirectory; `undefined` if it is too large for a run, or has vanished. */
  async find(name: Name.Name, signal: Signal | undefined): Promise<Directory | undefined> {
    this.#signal = signal
    const index = this.#indexOf(name)
    for (let tries = 0; tries < maxTries; tries += 1) {
      const run = this.#ensureRunAt(index)
      if (run === undefined) return undefined
      // Prefetch.
      this.#ensureRunAt(run.nextIndex)
      const found = await run.take(name)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Returns the index of a directory in the order of the keys. */
  #indexOf(name: Name.Name): number {
    if (this.#indexes === undefined) {
      const directories = [...this.#listing.entries].filter(({ type }) => type === 'dir')
      this.#names = directories.map(({ name }) => name).sort(keyOrder)
      this.#indexes = new Map(this.#names.map((name, index) => [name, index]))
    }
    return this.#indexes.get(name) ?? this.#names.length
  }

  /** Returns the run that covers the directory at an index, and starts one if needed. */
  #ensureRunAt(index: number): Run | undefined {
    const name = this.#names[index]
    return name === undefined ? undefined : (this.#runs.find(({ names }) => names.has(name)) ?? this.#begin(index))
  }

  /** Starts a run; `undefined` if two directories are expected to exceed it. */
  #begin(index: number): Run | undefined {
    const length = Math.floor(((runPages - sparePages) * pageKeys) / this.keysPerDirectory)
    const [first, ...rest] = this.#names.slice(index, index + length)
    if (first === undefined || rest.length === 0) return undefined
    const start = this.#runs.at(-maxConcurrentRuns)?.ended() ?? Promise.resolve()
    const run = new Run(this.#env, [first, ...rest], index + 1 + rest.length, this.keysPerDirectory, start)
    this.#runs = [...this.#runs.slice(1 - maxRuns), run]
    return run
  }
}
