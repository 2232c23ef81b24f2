import { type Listing, Name, type Signal } from '@canopy/domain'
import { add, type Directory, emptyDirectory } from './Directory.js'
import { afterDirectory, beforeDirectory, bytesOf } from './keys.js'
import type { PageRequest } from './page.js'
import { ignoreRejection, pageKeys, type Store } from './store.js'

// A run is one paged listing that covers several adjacent subdirectories with everything below them.

/** The expected length of a run, in pages. */
const runPages = 5
/**
 * Slack, as a fraction of a page. The run must read one key past its last directory to know that the directory is complete.
 */
const sparePages = 0.1
/** If directories are larger than expected, a run ends after this number of pages, and the others are read one by one. */
const maxPages = 8
/** Concurrent runs: the requested one and the next one. More would fill memory with unclaimed directories. */
const maxConcurrentRuns = 2
/** Runs kept in memory, finished or not. Older ones are dropped with whatever was not taken. */
const maxKeptRuns = 4
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
  /** The directories this run covers. Those it could not finish are removed when it stops early. */
  readonly names: Set<Name.Name>
  /** The index of the first directory after the run. */
  readonly nextIndex: number
  readonly #env: RunEnv
  /** Sorts just after the keys of the last directory. */
  readonly #endKey: string
  readonly #maxKeys: number
  readonly #partial = emptyDirectory()
  /** `undefined` once taken, or if the run ended without it. */
  readonly #complete = new Map<Name.Name, Directory | undefined>()
  #keyCount = 0
  /** The page that is read now. Resolves to true if another page follows, which is then the current one. */
  #currentPage: Promise<boolean>

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
    this.#endKey = bytesOf(afterDirectory(`${env.prefix}${names.at(-1) ?? names[0]}`))
    // Split the keys evenly over the pages. Otherwise most of the last page would be wasted.
    const keys = names.length * keysPerDirectory + sparePages * pageKeys
    this.#maxKeys = Math.ceil(keys / Math.ceil(keys / pageKeys))
    const firstPage = () => this.#readPage(1, { after: beforeDirectory(`${env.prefix}${names[0]}`) })
    this.#currentPage = ignoreRejection(start.then(firstPage, firstPage))
  }

  /** Resolves when the run has read its last page. */
  async ended(): Promise<void> {
    // Each page replaces `#currentPage` by the next one.
    while (await this.#currentPage);
  }

  /** Returns a directory as soon as it is complete; `undefined` if the run ends earlier. A tree requests each directory once. */
  async take(name: Name.Name): Promise<Directory | undefined> {
    while (!this.#complete.has(name) && (await this.#currentPage));
    const found = this.#complete.get(name)
    this.#complete.set(name, undefined)
    return found
  }

  async #readPage(pageNumber: number, start: Pick<PageRequest, 'after' | 'from'>): Promise<boolean> {
    const { store, prefix, isCancelled, onMeasured } = this.#env
    const { keys, end } = await store.page({ prefix, oneLevel: false, maxKeys: this.#maxKeys, ...start })
    for (const key of keys) add(this.#partial, key)
    const possiblyIncomplete = end === undefined ? undefined : keys.at(-1)?.names[0]
    for (const [name, directory] of this.#partial.below)
      if (name !== possiblyIncomplete) this.#complete.set(name, directory)
    for (const name of this.#complete.keys()) this.#partial.below.delete(name)
    this.#keyCount += keys.length
    onMeasured(this.#keyCount / Math.max(1, this.#complete.size + this.#partial.below.size))
    if (end === undefined || end.last >= this.#endKey) return false
    if (pageNumber < maxPages && !isCancelled()) {
      this.#currentPage = ignoreRejection(this.#readPage(pageNumber + 1, { from: end }))
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
  /** The expected number of keys per subdirectory. */
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

  /** Starts a run at an index; `undefined` if it would hold only one directory, which is cheaper to list alone. */
  #begin(index: number): Run | undefined {
    // It is 0 after a run whose directories have all vanished.
    const keysPerDirectory = Math.max(1, this.keysPerDirectory)
    const length = Math.floor(((runPages - sparePages) * pageKeys) / keysPerDirectory)
    const [first, ...rest] = this.#names.slice(index, index + length)
    if (first === undefined || rest.length === 0) return undefined
    const start = this.#runs.at(-maxConcurrentRuns)?.ended() ?? Promise.resolve()
    const run = new Run(this.#env, [first, ...rest], index + 1 + rest.length, keysPerDirectory, start)
    this.#runs = [...this.#runs.slice(1 - maxKeptRuns), run]
    return run
  }
}
