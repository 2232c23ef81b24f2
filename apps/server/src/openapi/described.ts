import type { Operation } from '../Operation.js'
import type { ParameterName } from './parameters.js'

/** What the document says of an operation and the other tables do not. */
export interface Described {
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** The segment after the route's prefix. */
  readonly credential: ParameterName
  readonly query: ReadonlyArray<ParameterName>
  /** The schema of its success. */
  readonly success: string
  readonly cacheControl: string
  /** Whether it has an entity tag and may link to a next page. */
  readonly headers: ReadonlyArray<'ETag' | 'Link'>
}

const tree = {
  description:
    'The node at the path and, for a directory, what is below it and may be seen. The server bounds how many nodes one answer holds: a directory whose children would exceed that has no `content`, ask for it by its path. A large tree is streamed; when its reading fails half-way, the connection is cut, so a body that ends is whole.',
  query: ['depth'],
  success: 'TreeEnvelope',
  headers: ['ETag'],
} as const

const listing = {
  description:
    'The items directly in the directory that may be seen. Complete, unless `limit` pages it: then `Link` leads to the next page, as long as there is one.',
  query: ['limit', 'after'],
  success: 'DirContentEnvelope',
  headers: ['ETag', 'Link'],
} as const

const storage = { tag: 'storage', credential: 'token', cacheControl: 'private, no-cache' } as const
const userContent = { tag: 'user content', credential: 'userid', cacheControl: 'public, no-cache' } as const

export const described: { readonly [Of in Operation]: Described } = {
  storageTree: { ...storage, ...tree, summary: 'The tree at a path, as its owner sees it' },
  userContentTree: { ...userContent, ...tree, summary: 'The tree at a path, as a visitor sees it' },
  storageDirItems: { ...storage, ...listing, summary: 'What a directory holds, as its owner sees it' },
  userContentDirItems: { ...userContent, ...listing, summary: 'What a directory holds, as a visitor sees it' },
  triggerPeek: {
    tag: 'triggers',
    summary: 'What a trigger holds',
    description: 'Looks at a trigger. Fires nothing and writes nothing, however often it is asked.',
    credential: 'triggerid',
    query: [],
    success: 'TriggerPeakEnvelope',
    cacheControl: 'no-store',
    headers: [],
  },
}
