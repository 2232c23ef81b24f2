import { type Area, StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Changed, ChangeEvents } from './changeEvents.js'
import { type Dependent, keyOf, type Place } from './Dependent.js'

/** The watch on the parent directory, and the name that leads down from it. */
interface Step {
  readonly above: Watch
  readonly name: string
}

/** A watch on a directory, shared by all listings that depend on it. */
interface Watch {
  readonly key: string
  /** `undefined` at `/`. */
  readonly step: Step | undefined
  /** Whether it is kept although unused. Only above the root of an area, if every change on its path is reported. */
  mayStay: boolean
  /** These listings depend on every entry of the directory. */
  readonly listings: Set<Dependent>
  /** The watches on its subdirectories, by name. Several areas may watch the same one. */
  readonly below: Map<string, ReadonlyArray<Watch>>
  stop: () => void
}

/** Unused watches above areas that are kept, because beginning one takes long in a directory of many names, such as `/tmp`. */
const maxUnused = 64

/**
 * The watches on directories, and the listings that depend on them. A listing depends on every entry of its directory and of its
 * subdirectories, and on each step of the path that leads there, from `/` down: replacing a step replaces everything below it.
 */
export class Watches {
  readonly #events: ChangeEvents
  readonly #invalidate: (listing: Dependent) => void
  readonly #watches = new Map<string, Watch>()
  readonly #watchesOf = new Map<Dependent, Array<Watch>>()
  /** The watches above areas without a dependent listing, oldest first. */
  readonly #unused = new Set<Watch>()

  constructor(events: ChangeEvents, invalidate: (listing: Dependent) => void) {
    this.#events = events
    this.#invalidate = invalidate
  }

  /** Makes a listing depend on a directory and its path. Returns false if one of them cannot be watched. */
  depend(listing: Dependent, path: StoragePath.StoragePath): boolean {
    const watch = this.#watchAt({ ...listing.place, path })
    if (watch === undefined) return false
    watch.listings.add(listing)
    const watches = this.#watchesOf.get(listing)
    if (watches === undefined) this.#watchesOf.set(listing, [watch])
    else watches.push(watch)
    return true
  }

  /** Removes all dependencies of a listing. */
  release(listing: Dependent): void {
    for (const watch of this.#watchesOf.get(listing) ?? []) {
      watch.listings.delete(listing)
      this.#endOrKeep(watch)
    }
    this.#watchesOf.delete(listing)
  }

  /** Waits for work that uses the watches of a listing, and ends them if it rejects. */
  async releaseOnFailure<A>(listing: Dependent, work: Promise<A>): Promise<A> {
    try {
      return await work
    } catch (thrown) {
      this.release(listing)
      throw thrown
    }
  }

  isWatched(place: Place): boolean {
    return this.#watches.has(keyOf(place))
  }

  /** Returns the number of watches in use. */
  count(): number {
    return this.#watches.size - this.#unused.size
  }

  /** Watches the path before its directory, so that a change between the two is reported. */
  #watchAt(place: Place): Watch | undefined {
    const key = keyOf(place)
    const known = this.#watches.get(key)
    if (known !== undefined) return known
    const step = this.#stepTo(place)
    if (O.isNone(step)) return undefined
    const watch = this.#begin({ key, step: step.value, mayStay: false }, (changed) =>
      this.#events.watch(place.area, place.path, changed),
    )
    // During the call, the root may have been another directory, for example through a replaced link.
    if (watch === undefined || this.#events.root(place.area)?.identity === place.root) return watch
    this.#endOrKeep(watch)
    return undefined
  }

  /** Returns the step to a directory; `undefined` at `/`, an empty option if the parent cannot be watched. */
  #stepTo(place: Place): O.Option<Step | undefined> {
    return pipe(
      StoragePath.parent(place.path),
      O.match(
        () => this.#stepToRoot(place.area),
        (path) => {
          const above = this.#watchAt({ ...place, path })
          return above === undefined ? O.none : O.some({ above, name: StoragePath.name(place.path) })
        },
      ),
    )
  }

  /**
   * Returns the step to the root of an area by its real path. Replacing a link on the way raises no event, and shows in the
   * root's identity.
   */
  #stepToRoot(area: Area.Area): O.Option<Step | undefined> {
    let step: Step | undefined
    const steps = this.#events.above(area)
    if (steps === undefined) return O.none
    for (const { directory, name } of steps) {
      const above =
        this.#watches.get(directory) ??
        this.#begin({ key: directory, step, mayStay: step?.above.mayStay ?? true }, (changed) =>
          this.#events.watchAbove(directory, changed),
        )
      if (above === undefined) return O.none
      step = { above, name }
    }
    return O.some(step)
  }

  #begin(
    { key, step, mayStay }: Pick<Watch, 'key' | 'step' | 'mayStay'>,
    start: (changed: Changed) => ReturnType<ChangeEvents['watchAbove']>,
  ): Watch | undefined {
    const watch: Watch = { key, step, mayStay, listings: new Set(), below: new Map(), stop: () => undefined }
    const stop = start((name) => this.#changed(watch, name))
    if (stop === undefined) {
      if (step !== undefined) this.#endOrKeep(step.above)
      return undefined
    }
    if (stop === 'not needed') watch.mayStay = false
    else watch.stop = stop
    this.#watches.set(key, watch)
    if (step === undefined) return watch
    const beside = step.above.below.get(step.name) ?? []
    step.above.below.set(step.name, [...beside, watch])
    for (let at: Watch | undefined = step.above; at !== undefined; at = at.step?.above) this.#unused.delete(at)
    return watch
  }

  /** Without a name, the directory itself has changed, or its watch has failed. */
  #changed(watch: Watch, name?: string): void {
    for (const listing of listingsOf(watch, name)) this.#invalidate(listing)
    for (const below of watchesBelow(watch, name)) this.#endUnusedBelow(below)
    if (name === undefined) this.#endUnusedBelow(watch)
  }

  /**
   * Ends the unused watches of a replaced subtree. Their directories are no longer at their paths, so they must not be reused.
   */
  #endUnusedBelow(watch: Watch): void {
    for (const below of watchesBelow(watch)) this.#endUnusedBelow(below)
    if (this.#unused.has(watch)) this.#endSubtree(watch)
  }

  /** Ends a watch without listings, or keeps it for later use if it may stay. Then does the same above it. */
  #endOrKeep(watch: Watch): void {
    const isUsed = watch.listings.size > 0 || watchesBelow(watch).some((below) => !this.#unused.has(below))
    if (isUsed || !this.#watches.has(watch.key)) return
    if (!watch.mayStay) this.#endSubtree(watch)
    else {
      this.#unused.add(watch)
      const [oldest] = this.#unused
      if (this.#unused.size > maxUnused && oldest !== undefined) this.#endSubtree(oldest)
    }
    if (watch.step !== undefined) this.#endOrKeep(watch.step.above)
  }

  /** Ends a watch and all watches below it. */
  #endSubtree(watch: Watch): void {
    const { key, step, stop } = watch
    for (const below of watchesBelow(watch)) this.#endSubtree(below)
    stop()
    this.#watches.delete(key)
    this.#unused.delete(watch)
    if (step === undefined) return
    const beside = (step.above.below.get(step.name) ?? []).filter((other) => other !== watch)
    if (beside.length > 0) step.above.below.set(step.name, beside)
    else step.above.below.delete(step.name)
  }
}

const watchesBelow = ({ below }: Watch, name?: string): ReadonlyArray<Watch> =>
  name === undefined ? [...below.values()].flat() : (below.get(name) ?? [])

/** Returns the listings that a change of an entry concerns: those of its directory, and all below the entry. */
const listingsOf = (watch: Watch, name?: string): ReadonlyArray<Dependent> => [
  ...watch.listings,
  ...watchesBelow(watch, name).flatMap((below) => listingsOf(below)),
]
