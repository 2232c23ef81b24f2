import type { DirectoryItem, Failure, TreeNode } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { memory } from './navigation.js'
import { type Place, placeHref } from './routes.js'
import { fetchNode, fetchPage } from './service.js'

/** A file, or a directory as far as it is loaded. */
export interface Listing {
  readonly place: Place
  /** The file or directory itself, with its visibility. */
  readonly node: TreeNode | undefined
  /** In byte order of names. */
  readonly items: ReadonlyArray<DirectoryItem>
  readonly complete: boolean
  /** The failure of the last request. */
  readonly failure: Failure | undefined
}

const emptyListing = (place: Place): Listing => ({
  place,
  node: undefined,
  items: [],
  complete: false,
  failure: undefined,
})

/** Some 100 KB. */
export const pageLimit = 1000
/** For loading the whole listing in fewer requests. */
export const maxPageLimit = 10_000

/** Loads a place page by page, one request at a time, and reports every change. */
export class ListingLoader {
  private readonly controller = new AbortController()
  private readonly onChange: (listing: Listing, loader: ListingLoader) => void
  private listing: Listing
  private isLoading = false
  private loadsAll = false

  constructor(place: Place, onChange: (listing: Listing, loader: ListingLoader) => void) {
    this.listing = emptyListing(place)
    this.onChange = onChange
  }

  /** Loads the next page, unless one is loading. */
  load(limit: number): void {
    if (!this.listing.complete && !this.isLoading) void this.loadPages(limit)
  }

  more = (): void => this.load(pageLimit)

  /** Loads all remaining pages. */
  all = (): void => {
    this.loadsAll = true
    this.load(maxPageLimit)
  }

  /** Stops loading all pages after the current one. */
  pause = (): void => {
    this.loadsAll = false
  }

  close = (): void => this.controller.abort()

  private async loadPages(firstLimit: number): Promise<void> {
    this.isLoading = true
    if (this.listing.failure !== undefined) this.change({ failure: undefined })
    let limit = firstLimit
    do {
      await this.loadPage(limit)
      limit = maxPageLimit
    } while (this.shouldContinue())
    this.isLoading = false
  }

  private shouldContinue(): boolean {
    const { complete, failure } = this.listing
    return this.loadsAll && !complete && failure === undefined && !this.controller.signal.aborted
  }

  private async loadPage(limit: number): Promise<void> {
    const { place, items } = this.listing
    const call = { signal: this.controller.signal }
    const isFirst = items.length === 0
    const [page, nodeResult] = await Promise.all([
      fetchPage(place, { limit, after: items.at(-1)?.name }, call),
      isFirst ? fetchNode(place, call) : undefined,
    ])
    const node = nodeResult !== undefined && 'value' in nodeResult ? nodeResult.value : this.listing.node
    if ('value' in page) {
      const { isLast } = page.value
      const loaded = isFirst ? page.value.items : [...items, ...page.value.items]
      return this.change({ node, items: loaded, complete: isLast, failure: undefined })
    }
    // A file has no listing, which is a `type mismatch`.
    if (node?.type === 'file') return this.change({ node, complete: true, failure: undefined })
    this.change({ node, failure: page.failure })
  }

  private change(changes: Partial<Listing>): void {
    if (this.controller.signal.aborted) return
    this.listing = { ...this.listing, ...changes }
    this.onChange(this.listing, this)
  }
}

/** The previous place stays until this time has passed, so that fast loads do not flash. */
const skeletonMs = 200

/** The largest page that a return in history requests, to restore the scroll position. */
const maxRestored = 20_000

export interface LoadedListing {
  readonly listing: Listing
  readonly loader: ListingLoader
}

/** Loads a place. Returns the previous one while loading, and an empty listing after 200 ms. */
export const useListing = (place: Place, version: number): LoadedListing | undefined => {
  const [loaded, setLoaded] = useState<LoadedListing>()
  useEffect(() => {
    const loader = new ListingLoader(place, (listing) => {
      clearTimeout(timer)
      setLoaded({ listing, loader })
    })
    const timer = setTimeout(() => setLoaded({ listing: emptyListing(place), loader }), skeletonMs)
    loader.load(Math.min(Math.max(memory().count ?? 0, pageLimit), maxRestored))
    return () => {
      clearTimeout(timer)
      loader.close()
    }
  }, [placeHref(place), version])
  return loaded
}
