import type { Failure, Visibility } from '@canopy/domain'
import type { RawRequest, RawResponse } from '../backends/rawHttp.js'
import type { World } from '../World.js'

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

/** One sentence of the interface or the decisions, as an example: in this world, this question has exactly this answer. */
export interface Scenario {
  /** Unique, and readable on its own. */
  readonly name: string
  readonly world: World
  readonly ask: Ask
  readonly answer: Answer
  /** True when no real disk can hold the world: only for backends that hold every u64. */
  readonly memoryOnly?: true
}

/** What an operation answers with, whichever backend it was asked through. */
export type Answer =
  /** Success, with exactly this body. */
  { readonly body: string } | { readonly error: Failure.FailureName }

/** Sentences of one world. */
export const scenarioIn =
  (world: World) =>
  (name: string, ask: Ask, answer: Answer): Scenario => ({ name, world, ask, answer })

export const answers = (body: unknown): Answer => ({ body: typeof body === 'string' ? body : JSON.stringify(body) })
export const fails = (error: Failure.FailureName): Answer => ({ error })

/** A sentence about HTTP itself: methods, targets, query parameters, headers. */
export interface HttpScenario {
  readonly name: string
  readonly world: World
  readonly request: RawRequest
  readonly answer: HttpAnswer
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
  /** Headers that must have this value, or must not be there. Others may. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string | undefined]>
}

/** Asks a service that has seeded the world. */
export type Send = (request: RawRequest) => Promise<RawResponse>

/** A sentence about HTTP that takes several requests: what their answers have to do with each other. */
export interface Conversation {
  readonly name: string
  readonly world: World
  /** Every violation as a sentence; none when it is so. */
  readonly violations: (send: Send) => Promise<ReadonlyArray<string>>
}

// The interface's shapes, written down once more and on purpose not from the domain: the order of fields is theirs.

interface Vis {
  readonly inherited: boolean
  readonly visibility: Visibility.Visibility
}

export const own = (visibility: Visibility.Visibility): Vis => ({ inherited: false, visibility })
export const inherited = (visibility: Visibility.Visibility): Vis => ({ inherited: true, visibility })

export const fileNode = (name: string, size: number, last_modified: number, visibility: Vis) => ({
  type: 'file',
  name,
  size,
  last_modified,
  visibility,
})

export const dirNode = (name: string, visibility: Vis, content?: ReadonlyArray<unknown>) =>
  content === undefined ? { type: 'dir', name, visibility } : { type: 'dir', name, visibility, content }

export const fileItem = (name: string, size: number, last_modified: number, visibility: Vis) => ({
  visibility,
  is_file: true,
  name,
  last_modified,
  size,
})

export const dirItem = (name: string, last_modified: number, visibility: Vis) => ({
  visibility,
  is_file: false,
  name,
  last_modified,
  size: 0,
})

export const tree = (content: unknown) => ({ type: 'tree', content })
export const dirContent = (...content: ReadonlyArray<unknown>) => ({ type: 'dir content', content })

export const treeOf = (node: unknown): Answer => answers(tree(node))
export const listingOf = (...items: ReadonlyArray<unknown>): Answer => answers(dirContent(...items))
