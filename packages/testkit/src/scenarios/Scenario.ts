import type { Failure, Visibility } from '@canopy/domain'
import type { RawRequest, RawResponse } from '../backends/rawHttp.js'
import type { World } from '../World.js'

/**
 * A request in the raw spelling of its target. `credential` is the segment with the token, the user id or the trigger id;
 * `path` follows it, and is empty or begins with `/`. `after` is a decoded name.
 */
export type Ask = TreeAsk | DirItemsAsk | PeekAsk

export interface TreeAsk {
  readonly operation: 'storageTree' | 'userContentTree'
  readonly credential: string
  readonly path: string
  /** Levels of children. */
  readonly depth?: number
  /** Asks for the tree as lines. */
  readonly lines?: LinesAsk | undefined
}

export interface LinesAsk {
  /** A path from the root of the area, decoded. */
  readonly after?: string | undefined
  /** A pattern, decoded. */
  readonly name?: string | undefined
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

/** The paths of the five operations (docs/http-api.md), up to the credential. */
const routes: { readonly [Operation in Ask['operation']]: string } = {
  storageTree: '/api/storage/v1/tree/',
  userContentTree: '/api/usercontent/v1/tree/id/',
  storageDirItems: '/api/storage/v1/diritems/',
  userContentDirItems: '/api/usercontent/v1/diritems/id/',
  triggerPeek: '/api/triggers/v1/peek/',
}

/** Returns the raw request target. A URL parser would rewrite `..` and `%2e`. */
export const target = (ask: Ask): string => {
  const { credential, path, lines, ...given } = { path: '', lines: undefined, ...ask }
  const parameters: Readonly<Record<string, string | number | undefined>> = { ...given, ...lines }
  const query = ['depth', 'limit', 'after', 'name'].flatMap((name) => {
    const value = parameters[name]
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  return `${routes[ask.operation]}${credential}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

/** The headers that ask for lines. */
export const linesHeaders: NonNullable<RawRequest['headers']> = [
  ['Host', 'localhost'],
  ['Accept', 'application/x-ndjson'],
]

export const isLines = (ask: Ask): boolean => 'lines' in ask && ask.lines !== undefined

/** Returns the raw request. */
export const requestOf = (ask: Ask): RawRequest => ({
  method: 'GET',
  target: target(ask),
  ...(isLines(ask) ? { headers: linesHeaders } : {}),
})

/** Returns the requests of one credential. Paths are raw, as in the request target. */
const asksOf = (ofTree: TreeAsk['operation'], ofItems: DirItemsAsk['operation']) => (credential: string) => ({
  tree: (path = '', bounds: Pick<TreeAsk, 'depth'> = {}): TreeAsk => ({
    operation: ofTree,
    credential,
    path,
    ...bounds,
  }),
  lines: (path = '', { depth, ...lines }: Pick<TreeAsk, 'depth'> & LinesAsk = {}): TreeAsk => ({
    operation: ofTree,
    credential,
    path,
    ...(depth === undefined ? {} : { depth }),
    lines,
  }),
  items: (path = '', page: Pick<DirItemsAsk, 'limit' | 'after'> = {}): DirItemsAsk => ({
    operation: ofItems,
    credential,
    path,
    ...page,
  }),
})

export const byToken = asksOf('storageTree', 'storageDirItems')
export const byUser = asksOf('userContentTree', 'userContentDirItems')
export const peek = (credential: string): Ask => ({ operation: 'triggerPeek', credential })

/** An example for one sentence of the interface or of docs/semantics.md: the exact answer to a request in a world. */
export interface Scenario {
  /** Unique, and clear without context. */
  readonly name: string
  readonly world: World
  readonly ask: Ask
  readonly answer: Answer
  /** No real disk can store the world, so it is only for backends with the whole u64. */
  readonly memoryOnly?: true
}

/** The result of an operation through any backend. */
export type Answer = Success | { readonly error: Failure.FailureName }

interface Success {
  readonly body: string
}

/** Scenarios that share a world. */
export const scenariosIn = (
  world: World,
  rows: ReadonlyArray<readonly [name: string, ask: Ask, answer: Answer]>,
): ReadonlyArray<Scenario> => rows.map(([name, ask, answer]) => ({ name, world, ask, answer }))

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
  /** Headers with a required value, or `undefined` for a forbidden header. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string | undefined]>
}

/** A sentence about HTTP that relates the answers to several requests. */
export interface Conversation {
  readonly name: string
  readonly world: World
  /** Sends requests to a service with the seeded world. Returns sentences. */
  readonly violations: (send: (request: RawRequest) => Promise<RawResponse>) => Promise<ReadonlyArray<string>>
}

// The shapes of the interface, independent of the domain. The order of fields counts.

interface Vis {
  readonly inherited: boolean
  readonly visibility: Visibility.Visibility
}

export const own = (visibility: Visibility.Visibility): Vis => ({ inherited: false, visibility })
export const inherited = (visibility: Visibility.Visibility): Vis => ({ inherited: true, visibility })

/** A node in a tree or a listing of an answer. */
export interface Shown {
  readonly name: string
  /** Only files have a size. */
  readonly size?: number
  readonly last_modified: number
  readonly visibility: Vis
  /** Only expanded directories have content. */
  readonly content?: ReadonlyArray<Shown>
}

/** Returns a directory that is not expanded. */
export const shownDir = (name: string, last_modified: number, visibility: Vis): Shown => ({
  name,
  last_modified,
  visibility,
})

export const shownFile = (name: string, size: number, last_modified: number, visibility: Vis): Shown => ({
  ...shownDir(name, last_modified, visibility),
  size,
})

export const expanded = (directory: Shown, ...content: ReadonlyArray<Shown>): Shown => ({ ...directory, content })

const nodeOf = ({ name, size, last_modified, visibility, content }: Shown): object =>
  size === undefined
    ? { type: 'dir', name, visibility, content: content?.map(nodeOf) }
    : { type: 'file', name, size, last_modified, visibility }

const itemOf = ({ name, size, last_modified, visibility }: Shown): object => ({
  visibility,
  is_file: size !== undefined,
  name,
  last_modified,
  size: size ?? 0,
})

export const treeOf = (node: Shown): Success => ({ body: JSON.stringify({ type: 'tree', content: nodeOf(node) }) })

export const listingOf = (...items: ReadonlyArray<Shown>): Success => ({
  body: JSON.stringify({ type: 'dir content', content: items.map(itemOf) }),
})

/** Returns the line of a node, by the path of its directory: empty for the root. */
export const line = (directory: string, { name, size, last_modified, visibility }: Shown): object => ({
  type: size === undefined ? 'dir' : 'file',
  path: `${directory}/${name}`,
  size: size ?? 0,
  last_modified,
  visibility,
})

export const notExpanded = (directory: object): object => ({ ...directory, expanded: false })

export const linesOf = (...lines: ReadonlyArray<object>): Success => ({
  body: [...lines, { type: 'end' }].map((each) => `${JSON.stringify(each)}\n`).join(''),
})
