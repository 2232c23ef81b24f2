/**
 * A request as its raw target spells it: nothing decoded. `credential` is the segment that holds the token, the user
 * id or the trigger id; `path` is what follows it, empty or beginning with `/`. `after` is a name, not encoded.
 */
export type Ask = TreeAsk | DirItemsAsk | PeekAsk

export interface TreeAsk {
  readonly operation: 'storageTree' | 'userContentTree'
  readonly credential: string
  readonly path: string
  /** Levels of children. */
  readonly depth?: number
}

export interface DirItemsAsk {
  readonly operation: 'storageDirItems' | 'userContentDirItems'
  readonly credential: string
  readonly path: string
  readonly limit?: number
  readonly after?: string
}

interface PeekAsk {
  readonly operation: 'triggerPeek'
  readonly credential: string
}

/** Routes of the interface, part 4, up to the credential. */
const routes: { readonly [Operation in Ask['operation']]: string } = {
  storageTree: '/api/storage/v1/tree/',
  userContentTree: '/api/usercontent/v1/tree/id/',
  storageDirItems: '/api/storage/v1/diritems/',
  userContentDirItems: '/api/usercontent/v1/diritems/id/',
  triggerPeek: '/api/triggers/v1/peek/',
}

const query = (parameters: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const given = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}

const tail = (ask: Ask): string => {
  switch (ask.operation) {
    case 'storageTree':
    case 'userContentTree':
      return `${ask.path}${query([['depth', ask.depth]])}`
    case 'storageDirItems':
    case 'userContentDirItems':
      return `${ask.path}${query([
        ['limit', ask.limit],
        ['after', ask.after],
      ])}`
    case 'triggerPeek':
      return ''
  }
}

/** The raw HTTP request target. Send it as it is: URL parsers rewrite `..` and `%2e`. */
export const target = (ask: Ask): string => `${routes[ask.operation]}${ask.credential}${tail(ask)}`

// Paths are raw, as in the request target after the token or the user id.

const treeAsk =
  (operation: TreeAsk['operation']) =>
  (credential: string, path = '', bounds: Pick<TreeAsk, 'depth'> = {}): Ask => ({
    operation,
    credential,
    path,
    ...bounds,
  })

const itemsAsk =
  (operation: DirItemsAsk['operation']) =>
  (credential: string, path = '', page: Pick<DirItemsAsk, 'limit' | 'after'> = {}): Ask => ({
    operation,
    credential,
    path,
    ...page,
  })

export const ownerTree = treeAsk('storageTree')
export const visitorTree = treeAsk('userContentTree')
export const ownerItems = itemsAsk('storageDirItems')
export const visitorItems = itemsAsk('userContentDirItems')
export const peek = (credential: string): Ask => ({ operation: 'triggerPeek', credential })
