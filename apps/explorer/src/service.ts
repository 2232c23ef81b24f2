// Requests to the service, through its client.
import {
  type CallOptions,
  type Page as ClientPage,
  createClient,
  type DirectoryItem,
  type Failure,
  type PeekedTrigger,
  type Result,
  type TreeNode,
  toResult,
  type WalkedNode,
} from '@canopy/client'
import { isToken, secret } from './credentials.js'
import { setVisibility } from './knownVisibilities.js'
import { childOf, isUserId, type Place, pathOf, root, type View } from './routes.js'

/** The token of this tab, or an empty text. */
const ownToken = (): string => secret('token') ?? ''

/** Without retries, because the page shows failures and repeats requests itself. */
const canopy = createClient({
  baseUrl: root,
  retries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }),
})

/** Returns the failure of an invalid credential, which the client would refuse as malformed input. */
const checkCredential = (view: View): Failure | undefined => {
  if (view.as === 'owner') return isToken(ownToken()) ? undefined : { error: 'invalid token' }
  return isUserId(view.user) ? undefined : { error: 'permission denied' }
}

export interface Page {
  readonly items: ReadonlyArray<DirectoryItem>
  readonly isLast: boolean
}

interface PageBounds {
  readonly limit: number
  readonly after: string | undefined
}

/** Fetches a page of a directory. The service links to the next page unless this is the last one. */
export const fetchPage = async (
  place: Place,
  bounds: PageBounds,
  call: CallOptions = {},
): Promise<Result<Page, Failure>> => {
  const { view } = place
  const failure = checkCredential(view)
  if (failure !== undefined) return { failure }
  const request = { path: pathOf(place), ...bounds }
  const page = await toResult<ClientPage<Failure>, Failure>(
    view.as === 'owner'
      ? canopy.storageDirItems({ token: ownToken(), ...request }, call)
      : canopy.userContentDirItems({ user: view.user, ...request }, call),
  )
  if ('failure' in page) return page
  const { items, next } = page.value
  for (const { is_file, name, visibility } of items) if (!is_file) setVisibility(childOf(place, name), visibility)
  return { value: { items, isLast: next === undefined } }
}

/** Fetches a node without its children. */
export const fetchNode = async (place: Place, call: CallOptions): Promise<Result<TreeNode, Failure>> => {
  const { view } = place
  const request = { path: pathOf(place), depth: 0 }
  const node = await toResult<TreeNode, Failure>(
    view.as === 'owner'
      ? canopy.storageTree({ token: ownToken(), ...request }, call)
      : canopy.userContentTree({ user: view.user, ...request }, call),
  )
  if ('value' in node) setVisibility(place, node.value.visibility)
  else if (node.failure.error === 'permission denied') setVisibility(place, undefined)
  return node
}

interface WalkOptions {
  readonly signal: AbortSignal
  /** A pattern for names. Default: all. */
  readonly name?: string
}

/** Calls back for a place and each node below it, depth first. Returns a failure. */
export const walk = async (
  place: Place,
  { signal, name }: WalkOptions,
  onNode: (node: WalkedNode) => void,
): Promise<Failure | undefined> => {
  const { view } = place
  const client = view.as === 'owner' ? { token: ownToken() } : { user: view.user }
  const nodes = canopy.walk({ ...client, path: pathOf(place), name }, { signal })
  const read = async (): Promise<void> => {
    for await (const node of nodes) onNode(node)
  }
  const result = await toResult<void, Failure>(read())
  return 'failure' in result ? result.failure : undefined
}

export const peek = (id: string, call: CallOptions): Promise<Result<PeekedTrigger, Failure>> =>
  toResult<PeekedTrigger, Failure>(canopy.triggerPeek({ id }, call))
