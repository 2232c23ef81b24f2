import type { DirectoryItem, Failure, TreeNode } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { memory } from './navigation.js'
import { type Place, placeHref } from './routes.js'
import { fetchNode, fetchPage } from './service.js'

/** A file, or the part of a directory loaded so far. */
export interface Listing {
  readonly place: Place
  /** The file or directory itself, with its visibility. */
  readonly node: TreeNode | undefined
  /** In byte order of names. */
  readonly items: ReadonlyArray<DirectoryItem>
  readonly complete: boolean
  /** The failure of the last request for a page, or for the node if no page is left. */
  readonly failure: Failure | undefined
}

const emptyListing = (place: Place): Listing => ({
  place,
  node: undefined,
  items: [],
  complete: false,
  failure: undefined,
})

/** Items per page, about 100 KB. */
export const pageLimit = 1000
/** For loading the whole listing in fewer requests. */
export const maxPageLimit = 10_000

/** Loads a place page by page, one request at a time, and reports every change. */
export class ListingLoader {
  private readonly controller = new AbortController()
  private readonly onChange: (listing: Listing) => void
  private listing: Listing
  private isLoading = false
  private wantsAll = false

  constructor(place: Place, onChange: (listing: Listing) => void) {
    this.listing = emptyListing(place)
    this.onChange = onChange
  }

  /** Loads the next page and a missing node, unless a request is running. */
  load(limit: number): void {
    const { node, complete } = this.listing
    if ((!complete || node === undefined) && !this.isLoading) void this.loadPages(limit)
  }

  loadMore = (): void => this.load(pageLimit)

  /** Loads all remaining pages. */
  loadAll = (): void => {
    this.wantsAll = true
    this.load(maxPageLimit)
  }

  /** Stops loading all pages after the current one. */
  pause = (): void => {
    this.wantsAll = false
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
    return this.wantsAll && !complete && failure === undefined && !this.controller.signal.aborted
  }

  private async loadPage(limit: number): Promise<void> {
    const { place, items, complete } = this.listing
    const call = { signal: this.controller.signal }
    const [page, nodeResult] = await Promise.all([
      complete ? undefined : fetchPage(place, { limit, after: items.at(-1)?.name }, call),
      this.listing.node === undefined ? fetchNode(place, call) : undefined,
    ])
    const [node, nodeFailure] =
      nodeResult === undefined || 'value' in nodeResult
        ? [nodeResult?.value ?? this.listing.node, undefined]
        : [undefined, nodeResult.failure]
    if (page === undefined) return this.change({ node, failure: nodeFailure })
    if ('value' in page) {
      const { isLast } = page.value
      // The next page requests the node again.
      const failure = isLast ? nodeFailure : undefined
      return this.change({ node, items: [...items, ...page.value.items], complete: isLast, failure })
    }
    // Listing a file fails with `type mismatch`. That is no error here.
    if (node?.type === 'file') return this.change({ node, complete: true, failure: undefined })
    // The node of a file can fail for another reason.
    const failure = page.failure.error === 'type mismatch' ? (nodeFailure ?? page.failure) : page.failure
    this.change({ node, failure })
  }

  private change(changes: Partial<Listing>): void {
    if (this.controller.signal.aborted) return
    this.listing = { ...this.listing, ...changes }
    this.onChange(this.listing)
  }
}

/** The previous place stays for this time before an empty skeleton replaces it, so that fast loads do not flash. */
const skeletonMs = 200

/** The most items to load at once after going back, to restore the scroll position. */
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
