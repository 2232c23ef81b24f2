// Requests to the service, through its client.
import {
  type CallOptions,
  createClient,
  type DirectoryItem,
  type Failure,
  type PeekedTrigger,
  type Result,
  type TreeNode,
  toResult,
} from '@canopy/client'
import { isToken, secret } from './credentials.js'
import { setVisibility } from './knownVisibilities.js'
import { childOf, isUserId, type Place, pathOf, root } from './routes.js'

/** The token of this tab, or an empty text. */
export const ownToken = (): string => secret('token') ?? ''

/** Without retries, because the page shows failures and repeats requests itself. */
const canopy = createClient({
  baseUrl: root,
  retries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }),
})

/** Returns the failure of an invalid credential, which the client would refuse as malformed input. */
const checkCredential = ({ view }: Place): Failure | undefined => {
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

/** A page as the client returns it. */
interface ClientPage {
  readonly items: ReadonlyArray<DirectoryItem>
  readonly next: unknown
}

const requestPage = (
  { view, names }: Place,
  bounds: PageBounds,
  call: CallOptions,
): Promise<Result<ClientPage, Failure>> => {
  const path = pathOf({ view, names })
  return view.as === 'owner'
    ? toResult<ClientPage, Failure>(canopy.storageDirItems({ token: ownToken(), path, ...bounds }, call))
    : toResult<ClientPage, Failure>(canopy.userContentDirItems({ user: view.user, path, ...bounds }, call))
}

/** Fetches a page of a directory. The service links to the next page unless this is the last one. */
export const fetchPage = async (
  place: Place,
  bounds: PageBounds,
  call: CallOptions,
): Promise<Result<Page, Failure>> => {
  const failure = checkCredential(place)
  if (failure !== undefined) return { failure }
  const page = await requestPage(place, bounds, call)
  if ('failure' in page) return page
  const { items, next } = page.value
  for (const { is_file, name, visibility } of items) if (!is_file) setVisibility(childOf(place, name), visibility)
  return { value: { items, isLast: next === undefined } }
}

/** The address of the tree operation for a place. It may contain a token: only fetch it. */
export const treeUrl = ({ view, names }: Place): string => {
  const client = view.as === 'owner' ? `storage/v1/tree/${ownToken()}` : `usercontent/v1/tree/id/${view.user}`
  return [`${root}api/${client}`, ...names.map(encodeURIComponent)].join('/')
}

/** Fetches a node without its children. */
export const fetchNode = async (place: Place, call: CallOptions): Promise<Result<TreeNode, Failure>> => {
  const { view } = place
  const request = { path: pathOf(place), depth: 0 }
  const node =
    view.as === 'owner'
      ? await toResult<TreeNode, Failure>(canopy.storageTree({ token: ownToken(), ...request }, call))
      : await toResult<TreeNode, Failure>(canopy.userContentTree({ user: view.user, ...request }, call))
  if ('value' in node) setVisibility(place, node.value.visibility)
  else if (node.failure.error === 'permission denied') setVisibility(place, undefined)
  return node
}

export const peek = (id: string, call: CallOptions): Promise<Result<PeekedTrigger, Failure>> =>
  toResult<PeekedTrigger, Failure>(canopy.triggerPeek({ id }, call))
