// All that the page asks the service for, by its client.
import {
  type CallOptions,
  createClient,
  type DirectoryItem,
  type Failure,
  type NodeVisibility,
  type PeekedTrigger,
  type Result,
  type TreeNode,
  toResult,
} from '@canopy/client'
import { isToken, secret } from './credentials.js'
import { isUserId, type Place, pathOf, root } from './routes.js'

/** The page says itself what went wrong and when it tries again. The browser stores no answer. */
const canopy = createClient({
  baseUrl: root,
  retries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }),
})

/** A directory as far as it is loaded, or a file. */
export interface Listing {
  readonly place: Place
  /** The file or directory itself, with its visibility. */
  readonly node: TreeNode | undefined
  /** In byte order of their names. */
  readonly items: ReadonlyArray<DirectoryItem>
  readonly complete: boolean
  /** Why nothing more came. */
  readonly failure: Failure | undefined
}

export interface Loader {
  /** Asks for the next page, if there is one and none is on its way. */
  readonly more: () => void
  /** Asks for all pages that are left. */
  readonly all: () => void
  /** Takes `all` back. */
  readonly pause: () => void
  readonly close: () => void
}

/** Some 100 KB. */
export const pageItems = 1000
/** For those who wait for the whole listing. */
const largePageItems = 10_000

/** What the service would say to a token or a user id that is none: the client does not send such. */
const refusalOf = ({ view }: Place): Failure | undefined => {
  if (view.as === 'owner') return isToken(secret('token') ?? '') ? undefined : { error: 'invalid token' }
  return isUserId(view.user) ? undefined : { error: 'permission denied' }
}

interface Pages {
  readonly items: ReadonlyArray<DirectoryItem>
  readonly isLast: boolean
}

const pageOf = async (
  place: Place,
  limit: number,
  after: string | undefined,
  call: CallOptions,
): Promise<Result<Pages, Failure>> => {
  const { view } = place
  const refusal = refusalOf(place)
  if (refusal !== undefined) return { failure: refusal }
  const bounds = { path: pathOf(place), limit, after }
  const page =
    view.as === 'owner'
      ? await toResult(canopy.storageDirItems({ token: secret('token') ?? '', ...bounds }, call))
      : await toResult(canopy.userContentDirItems({ user: view.user, ...bounds }, call))
  return 'failure' in page ? page : { value: { items: page.value.items, isLast: page.value.next === undefined } }
}

const nodeOf = (place: Place, call: CallOptions): Promise<Result<TreeNode, Failure>> => {
  const { view } = place
  const bounds = { path: pathOf(place), depth: 0 }
  return view.as === 'owner'
    ? toResult<TreeNode, Failure>(canopy.storageTree({ token: secret('token') ?? '', ...bounds }, call))
    : toResult<TreeNode, Failure>(canopy.userContentTree({ user: view.user, ...bounds }, call))
}

/** Loads a place page by page and says each time what is there. */
export const openListing = (place: Place, firstItems: number, changed: (listing: Listing) => void): Loader => {
  const controller = new AbortController()
  const call = { signal: controller.signal }
  let listing: Listing = { place, node: undefined, items: [], complete: false, failure: undefined }
  let isAsking = false
  const wanted = { all: false }

  const set = (changes: Partial<Listing>): void => {
    if (controller.signal.aborted) return
    listing = { ...listing, ...changes }
    changed(listing)
  }

  const ask = async (limit: number): Promise<void> => {
    const isFirst = listing.items.length === 0
    const [page, node] = await Promise.all([
      pageOf(place, limit, listing.items.at(-1)?.name, call),
      isFirst ? nodeOf(place, call) : undefined,
    ])
    const found = node !== undefined && 'value' in node ? { node: node.value } : {}
    if ('value' in page) {
      const items = isFirst ? page.value.items : [...listing.items, ...page.value.items]
      return set({ ...found, items, complete: page.value.isLast, failure: undefined })
    }
    // Only directories are listed.
    if (found.node?.type === 'file') return set({ ...found, complete: true, failure: undefined })
    set({ failure: page.failure })
  }

  const askOn = async (first: number): Promise<void> => {
    if (isAsking) return
    isAsking = true
    if (listing.failure !== undefined) set({ failure: undefined })
    let limit = first
    do {
      await ask(limit)
      limit = largePageItems
    } while (wanted.all && !listing.complete && listing.failure === undefined && !controller.signal.aborted)
    isAsking = false
  }

  void askOn(firstItems)
  return {
    more: () => {
      if (!listing.complete) void askOn(pageItems)
    },
    all: () => {
      wanted.all = true
      if (!listing.complete) void askOn(largePageItems)
    },
    pause: () => {
      wanted.all = false
    },
    close: () => controller.abort(),
  }
}

/** Of each directory above a place, from the root: `undefined` where it is not open to the one who asks. */
export const visibilitiesAbove = async (
  { view, names }: Place,
  call: CallOptions,
): Promise<Result<ReadonlyArray<NodeVisibility | undefined>, Failure>> => {
  const nodes = await Promise.all(names.map((_, depth) => nodeOf({ view, names: names.slice(0, depth) }, call)))
  const failed = nodes.find((node) => 'failure' in node && node.failure.error !== 'permission denied')
  return failed !== undefined && 'failure' in failed
    ? failed
    : { value: nodes.map((node) => ('value' in node ? node.value.visibility : undefined)) }
}

/** The directories directly in a place, and the sum of its files, page by page. */
export interface Level {
  readonly directories: ReadonlyArray<DirectoryItem>
  readonly files: number
  readonly bytes: bigint
  /** The name that the rest follows. */
  readonly after: string | undefined
}

/** Of entries that are there. */
export const summed = (items: ReadonlyArray<DirectoryItem>): Omit<Level, 'after'> => ({
  directories: items.filter(({ is_file }) => !is_file),
  files: items.filter(({ is_file }) => is_file).length,
  bytes: items.reduce((sum, { size }) => sum + size, 0n),
})

export const levelOf = async (
  place: Place,
  after: string | undefined,
  call: CallOptions,
): Promise<Result<Level, Failure>> => {
  const page = await pageOf(place, largePageItems, after, call)
  if ('failure' in page) return page
  const { items, isLast } = page.value
  return { value: { ...summed(items), after: isLast ? undefined : items.at(-1)?.name } }
}

/** What the client gets to read in place of a tree that has been read already. */
const readAlready =
  '{"type":"tree","content":{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"private"}}}'

/** How long the page may read before it draws again. */
const readMs = 30

/** Gives the whole tree below a place to a reader, while it comes. */
export const streamTree = async (
  { view, ...place }: Place,
  read: (chunk: Uint8Array) => void,
  call: CallOptions,
): Promise<Failure | undefined> => {
  const streaming = createClient({
    baseUrl: root,
    retries: 0,
    timeoutMs: 2 ** 31,
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, cache: 'no-store' })
      const reader = response.ok ? response.body?.getReader() : undefined
      if (reader === undefined) return response
      let drawn = performance.now()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        read(next.value)
        if (performance.now() - drawn < readMs) continue
        await new Promise((resolve) => setTimeout(resolve))
        drawn = performance.now()
      }
      return new Response(readAlready)
    },
  })
  const path = pathOf({ view, ...place })
  const answer =
    view.as === 'owner'
      ? await toResult<TreeNode, Failure>(streaming.storageTree({ token: secret('token') ?? '', path }, call))
      : await toResult<TreeNode, Failure>(streaming.userContentTree({ user: view.user, path }, call))
  return 'failure' in answer ? answer.failure : undefined
}

export const peek = (id: string, call: CallOptions): Promise<Result<PeekedTrigger, Failure>> =>
  toResult<PeekedTrigger, Failure>(canopy.triggerPeek({ id }, call))
