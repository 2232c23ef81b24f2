import type { DirectoryItem } from '@canopy/client'
import { addChild, addPage, childNamed, type Directory, isLoaded, isOnlyWay, newDirectory } from './Directory.js'
import type { SeenVisibility } from './knownVisibilities.js'
import { maxPageLimit } from './ListingLoader.js'
import type { Place, View } from './routes.js'
import { Subtree } from './Subtree.js'
import { fetchPage, walk } from './service.js'

/** The download of a whole subtree. */
export interface Expansion {
  readonly directory: Directory
  /** The nodes so far. */
  readonly nodeCount: number
  readonly cancel: () => void
}

/** How often progress is shown. */
const progressMs = 100

/** The directories of the outline, loaded level by level or as a whole subtree. */
export class DirectoryTree {
  /** The topmost directory that the view may see. */
  readonly root: Directory
  /** Counts changes. */
  version = 0
  expansion: Expansion | undefined
  private readonly view: View
  /** The path of the root. */
  private readonly names: ReadonlyArray<string>
  private readonly listeners = new Set<() => void>()

  constructor(view: View, names: ReadonlyArray<string>, visibility: SeenVisibility) {
    this.view = view
    this.names = names
    this.root = newDirectory(names.at(-1) ?? '', visibility)
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  placeOf(directory: Directory): Place {
    const { parent, name } = directory
    const names = parent === undefined ? this.names : [...this.placeOf(parent).names, name]
    return { view: this.view, names }
  }

  find(names: ReadonlyArray<string>): Directory | undefined {
    let found: Directory | undefined = this.root
    for (const name of names.slice(this.names.length)) found = found && childNamed(found, name)
    return found
  }

  setOpen(directory: Directory, isOpen: boolean): void {
    directory.isOpen = isOpen
    this.notify()
    if (isOpen && (directory.content === undefined || isOnlyWay(directory))) void this.load(directory)
  }

  /** Loads the next page of a directory, unless it is complete. */
  async load(directory: Directory): Promise<void> {
    if (directory.loading === undefined && isLoaded(directory)) return
    directory.loading ??= this.request(directory)
    this.notify()
    await directory.loading
  }

  /** Opens the way to a directory. `visibilities` belong to the names below the root. Requests nothing. */
  reveal(names: ReadonlyArray<string>, visibilities: ReadonlyArray<SeenVisibility>): void {
    let directory = this.root
    for (const [depth, name] of names.slice(this.names.length).entries()) {
      directory.isOpen = true
      const visibility = visibilities[depth]
      directory = childNamed(directory, name) ?? addChild(directory, name, visibility)
      if (typeof visibility === 'object') directory.visibility = visibility
    }
    this.notify()
  }

  /** Takes the entries of a complete listing, which saves a request. */
  setItems(directory: Directory, items: ReadonlyArray<DirectoryItem>): void {
    if (isLoaded(directory)) return
    directory.isOpen = true
    const ways = directory.content?.directories ?? []
    directory.content = { directories: ways, files: 0, bytes: 0n, next: undefined }
    addPage(directory, items, true)
    this.notify()
  }

  /** Loads a whole subtree. */
  async expand(directory: Directory): Promise<void> {
    this.expansion?.cancel()
    const controller = new AbortController()
    const subtree = new Subtree(directory)
    const showProgress = (): void => {
      this.expansion = { directory, nodeCount: subtree.nodeCount, cancel: () => controller.abort() }
      this.notify()
    }
    showProgress()
    const timer = setInterval(showProgress, progressMs)
    const failure = await walk(this.placeOf(directory), controller, (node) => subtree.add(node))
    clearInterval(timer)
    if (this.expansion?.directory === directory) this.expansion = undefined
    if (failure === undefined) subtree.finish()
    else if (failure.error !== 'aborted') directory.failure = failure
    this.notify()
  }

  private async request(directory: Directory): Promise<void> {
    const bounds = { limit: maxPageLimit, after: directory.content?.next?.after }
    const page = await fetchPage(this.placeOf(directory), bounds)
    directory.loading = undefined
    directory.failure = 'failure' in page ? page.failure : undefined
    if ('value' in page) addPage(directory, page.value.items, page.value.isLast)
    this.notify()
  }

  private notify(): void {
    this.version += 1
    for (const listener of this.listeners) listener()
  }
}
