// Requests to the service, through its client.
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

/** Without retries, because the page shows failures and repeats requests itself. */
const canopy = createClient({
  baseUrl: root,
  retries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }),
})

/** Returns the failure of an invalid credential, which the client would refuse as malformed input. */
const checkCredential = ({ view }: Place): Failure | undefined => {
  if (view.as === 'owner') return isToken(secret('token') ?? '') ? undefined : { error: 'invalid token' }
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
  call: CallOptions,
): Promise<Result<Page, Failure>> => {
  const { view } = place
  const failure = checkCredential(place)
  if (failure !== undefined) return { failure }
  const path = pathOf(place)
  const page =
    view.as === 'owner'
      ? await toResult(canopy.storageDirItems({ token: secret('token') ?? '', path, ...bounds }, call))
      : await toResult(canopy.userContentDirItems({ user: view.user, path, ...bounds }, call))
  return 'failure' in page ? page : { value: { items: page.value.items, isLast: page.value.next === undefined } }
}

/** Fetches a node without its children. */
export const fetchNode = (place: Place, call: CallOptions): Promise<Result<TreeNode, Failure>> => {
  const { view } = place
  const request = { path: pathOf(place), depth: 0 }
  return view.as === 'owner'
    ? toResult<TreeNode, Failure>(canopy.storageTree({ token: secret('token') ?? '', ...request }, call))
    : toResult<TreeNode, Failure>(canopy.userContentTree({ user: view.user, ...request }, call))
}

/** Fetches the visibilities of all ancestors, from the root. `undefined` if the view may not see it. */
export const fetchAncestors = async (
  { view, names }: Place,
  call: CallOptions,
): Promise<Result<ReadonlyArray<NodeVisibility | undefined>, Failure>> => {
  const nodes = await Promise.all(names.map((_, depth) => fetchNode({ view, names: names.slice(0, depth) }, call)))
  const failed = nodes.find((node) => 'failure' in node && node.failure.error !== 'permission denied')
  return failed !== undefined && 'failure' in failed
    ? failed
    : { value: nodes.map((node) => ('value' in node ? node.value.visibility : undefined)) }
}

export const peek = (id: string, call: CallOptions): Promise<Result<PeekedTrigger, Failure>> =>
  toResult<PeekedTrigger, Failure>(canopy.triggerPeek({ id }, call))
