import { type Area, StoragePath } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { Changed, ChangeEvents } from './changeEvents.js'

/**
 * A listing as it depends on watches: its identity and staleness. Created before the read, so that events during the read can mark
 * it stale. It does not hold the entries.
 */
export interface Dependent {
  readonly place: Place
  readonly key: string
  /** Set when the listing is invalidated, and never reset. */
  isStale: boolean
}

/** A directory below the root of an area. Where another root is in its place, requests have other keys. */
export interface Place {
  readonly area: Area.Area
  /** The identity of the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

/** Includes `isMountPoint`, because only an area on a mount point becomes `external` when unmounted. */
export const keyOf = ({ area: { isMountPoint, location }, root, path }: Place): string =>
  `${isMountPoint === true}\0${location}\0${root}\0${path}`

/** How to reach a directory: the watch on its parent, and its name there. */
interface Step {
  readonly parent: Watch
  readonly name: string
}

/** A watch on a directory, shared by all dependents below it. */
interface Watch {
  readonly key: string
  /** `undefined` above `/`. */
  readonly step: Step | undefined
  /**
   * Whether the watch stays as a spare one after its last use. Only watches above an area do, and only if every step up to `/` is
   * watched too.
   */
  mayBecomeSpare: boolean
  /** The listings of this directory and of its parent, which contains this directory's modification time. */
  readonly dependents: Set<Dependent>
  /** The watches on its subdirectories, by name. Several areas may watch the same subdirectory. */
  readonly children: Map<string, ReadonlyArray<Watch>>
  stop: () => void
}

/** Starting a watch is slow in a directory with many entries, such as `/tmp`, so up to this number of spare ones is kept. */
const maxSpare = 64

/**
 * The watches on directories, and the listings that depend on them. A listing depends on every entry of its directory and of its
 * subdirectories, and on each step of the path that leads there, from `/` down: replacing a step replaces everything below it. No
 * link is followed below the root of an area (openPinned.ts), so the path has no other steps.
 *
 *     from    event                                          to
 *     used    last dependent or used child gone, #endOrKeep  spare if mayBecomeSpare, else ended
 *     spare   a watch below it begins, #begin                used
 *     spare   a change on its path, #endSpare                ended
 *     spare   more than maxSpare newer ones, #endOrKeep      ended
 *
 * A used watch has a dependent or a used child. A spare one is in `#spare`. An ended one has no children.
 */
export class Watches {
  readonly #events: ChangeEvents
  readonly #invalidate: (dependent: Dependent) => void
  readonly #watches = new Map<string, Watch>()
  readonly #watchesOf = new Map<Dependent, Array<Watch>>()
  /** In the order they became spare. A child becomes spare before its parent, so the first one has no children. */
  readonly #spare = new Set<Watch>()
  /** The parent of the watch on `/`, on no directory. It never ends. */
  readonly #top: Watch = newWatch('', undefined, true)

  constructor(events: ChangeEvents, invalidate: (dependent: Dependent) => void) {
    this.#events = events
    this.#invalidate = invalidate
  }

  /** Makes a listing depend on a directory and its path. Returns false if one of them cannot be watched. */
  depend(dependent: Dependent, path: StoragePath.StoragePath): boolean {
    const watch = this.#watchAt({ ...dependent.place, path })
    if (watch === undefined) return false
    watch.dependents.add(dependent)
    const watches = this.#watchesOf.get(dependent)
    if (watches === undefined) this.#watchesOf.set(dependent, [watch])
    else watches.push(watch)
    return true
  }

  /** Removes all dependencies of a listing. */
  release(dependent: Dependent): void {
    for (const watch of this.#watchesOf.get(dependent) ?? []) {
      watch.dependents.delete(dependent)
      this.#endOrKeep(watch)
    }
    this.#watchesOf.delete(dependent)
  }

  /** Waits for work that needs the watches of a listing, and releases them if it rejects. */
  async releaseOnFailure<A>(dependent: Dependent, work: Promise<A>): Promise<A> {
    try {
      return await work
    } catch (thrown) {
      this.release(dependent)
      throw thrown
    }
  }

  isWatched(place: Place): boolean {
    return this.#watches.has(keyOf(place))
  }

  /** Returns the number of used watches. */
  count(): number {
    return this.#watches.size - this.#spare.size
  }

  /**
   * Begins the watches that are missing, from `/` down, so that a step that is replaced meanwhile is reported. The event that ends a
   * known watch may still be queued: it will mark the new dependent too.
   */
  #watchAt(place: Place): Watch | undefined {
    const key = keyOf(place)
    const known = this.#watches.get(key)
    if (known !== undefined) return known
    const step = this.#stepTo(place)
    const watch =
      step && this.#begin(newWatch(key, step, false), (changed) => this.#events.watch(place.area, place.path, changed))
    // During the call the root may have been another directory, for example through a replaced link.
    if (watch === undefined || this.#events.root(place.area)?.identity === place.root) return watch
    this.#endOrKeep(watch)
    return undefined
  }

  /** Watches the way to a directory. Returns its last step; `undefined` if a directory on the way cannot be watched. */
  #stepTo(place: Place): Step | undefined {
    const path = O.toUndefined(StoragePath.parent(place.path))
    if (path === undefined) return this.#stepToRoot(place.area)
    const parent = this.#watchAt({ ...place, path })
    return parent && { parent, name: StoragePath.name(place.path) }
  }

  /**
   * Watches all steps of the real path to the root of an area, because a rollback on btrfs keeps the root's identity. Replacing a
   * link on the way raises no event, but changes that identity.
   */
  #stepToRoot(area: Area.Area): Step | undefined {
    const directories = this.#events.above(area)
    if (directories === undefined) return undefined
    let step: Step = { parent: this.#top, name: '/' }
    for (const { directory, name } of directories) {
      const parent =
        this.#watches.get(directory) ??
        this.#begin(newWatch(directory, step, step.parent.mayBecomeSpare), (changed) =>
          this.#events.watchAbove(directory, changed),
        )
      if (parent === undefined) return undefined
      step = { parent, name }
    }
    return step
  }

  /** Begins a watch. The caller must then add a dependent or a child, or end it. */
  #begin(
    watch: Watch & { readonly step: Step },
    start: (changed: Changed) => ReturnType<ChangeEvents['watchAbove']>,
  ): Watch | undefined {
    const { parent, name } = watch.step
    const stop = start((changed) => this.#changed(watch, changed))
    if (stop === undefined) {
      this.#endOrKeep(parent)
      return undefined
    }
    // Without events it could become outdated unnoticed, so it does not outlive its use.
    if (stop === 'not needed') watch.mayBecomeSpare = false
    else watch.stop = stop
    this.#watches.set(watch.key, watch)
    parent.children.set(name, [...childrenOf(parent, name), watch])
    for (let each: Watch | undefined = parent; each !== undefined; each = each.step?.parent) this.#spare.delete(each)
    return watch
  }

  /** Without a name, anything in the directory may have changed, or the directory itself. */
  #changed(watch: Watch, name?: string): void {
    for (const dependent of dependentsOf(watch, name)) this.#invalidate(dependent)
    for (const replaced of name === undefined ? [watch] : childrenOf(watch, name)) this.#endSpare(replaced)
  }

  /** Ends spare watches from a changed directory down, because other directories may be at their paths now. */
  #endSpare(watch: Watch): void {
    for (const child of childrenOf(watch)) this.#endSpare(child)
    if (this.#spare.has(watch)) this.#end(watch)
  }

  /** Ends a watch that is no longer used, or keeps it as spare. Then does the same above it. */
  #endOrKeep(watch: Watch): void {
    const isUsed = watch.dependents.size > 0 || childrenOf(watch).some((child) => !this.#spare.has(child))
    if (isUsed || !this.#watches.has(watch.key)) return
    if (!watch.mayBecomeSpare) this.#end(watch)
    else {
      this.#spare.add(watch)
      const [oldest] = this.#spare
      if (this.#spare.size > maxSpare && oldest !== undefined) this.#end(oldest)
    }
    if (watch.step !== undefined) this.#endOrKeep(watch.step.parent)
  }

  #end(watch: Watch): void {
    const { key, step, stop } = watch
    stop()
    this.#watches.delete(key)
    this.#spare.delete(watch)
    if (step === undefined) return
    const others = childrenOf(step.parent, step.name).filter((other) => other !== watch)
    if (others.length > 0) step.parent.children.set(step.name, others)
    else step.parent.children.delete(step.name)
  }
}

const newWatch = <S extends Step | undefined>(key: string, step: S, mayBecomeSpare: boolean): Watch & { step: S } => ({
  key,
  step,
  mayBecomeSpare,
  dependents: new Set(),
  children: new Map(),
  stop: () => undefined,
})

/** Returns all children of a watch, or those on the subdirectory of a name. */
const childrenOf = ({ children }: Watch, name?: string): ReadonlyArray<Watch> =>
  name === undefined ? [...children.values()].flat() : (children.get(name) ?? [])

/** Returns the dependents that a change of an entry concerns: those of its directory, and all below the entry. */
const dependentsOf = (watch: Watch, name?: string): ReadonlyArray<Dependent> => [
  ...watch.dependents,
  ...childrenOf(watch, name).flatMap((child) => dependentsOf(child)),
]
