import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** How a store lists its keys: like Amazon S3, or with a fault that bug reports of stores describe. */
export type ListingMode =
  | 'as S3'
  /** Each page is reversed. */
  | 'pages out of order'
  /** The later half of the keys comes first. */
  | 'halves out of order'
  | 'outside the prefix'
  /** `KeyCount` counts missing keys too. */
  | 'half of each page'
  | 'no KeyCount'
  | 'empty first page'
  | 'empty pages between'
  /** With the same token. */
  | 'the first page forever'
  /** Without keys. */
  | 'two tokens forever'
  | 'empty pages forever'
  /** Like MinIO over such a file system: finds directories by any case, and spells keys as requested. */
  | 'ignores case'
  /** Spells keys as they were put. */
  | 'ignores case of prefixes'
  /** Like Ceph before 14.2.6, which escapes only keys. */
  | 'unescaped prefixes'
  /** Like stores without `encoding-type`. */
  | 'unescaped'

/** A store of one bucket that lists keys, accepts objects, and checks no signatures. */
export interface ListingStore {
  readonly endpoint: string
  readonly keys: Set<string>
  readonly asked: ReadonlyArray<URLSearchParams>
  mode: ListingMode
  delayMs: number
  readonly stop: () => Promise<void>
}

interface Item {
  readonly key: string
  readonly isLevel: boolean
}

interface AnsweredPage {
  readonly items: ReadonlyArray<Item>
  readonly token?: string | undefined
  readonly count: number | undefined
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const keysAt = (prefix: string, { keys, mode }: Pick<ListingStore, 'keys' | 'mode'>): ReadonlyArray<string> => {
  if (mode === 'outside the prefix') return [...keys]
  const isLike = (key: string, start: string) => key.toLowerCase().startsWith(start.toLowerCase())
  if (mode === 'ignores case of prefixes') return [...keys].filter((key) => isLike(key, prefix))
  const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const spelled =
    mode === 'ignores case'
      ? [...keys].filter((key) => isLike(key, directory)).map((key) => directory + key.slice(directory.length))
      : [...keys]
  return spelled.filter((key) => key.startsWith(prefix))
}

/** The keys and common prefixes of a listing, in byte order. */
const itemsOf = (
  asked: URLSearchParams,
  after: string,
  store: Pick<ListingStore, 'keys' | 'mode'>,
): ReadonlyArray<Item> => {
  const prefix = asked.get('prefix') ?? ''
  const items = new Map<string, Item>()
  for (const each of keysAt(prefix, store)) {
    const begin = store.mode === 'outside the prefix' && !each.startsWith(prefix) ? 0 : prefix.length
    const slash = asked.has('delimiter') ? each.indexOf('/', begin) : -1
    const key = slash < 0 ? each : each.slice(0, slash + 1)
    if (byBytes(each, after) > 0) items.set(key, { key, isLevel: slash >= 0 })
  }
  return [...items.values()].sort((one, other) => byBytes(one.key, other.key))
}

const faulty = (items: ReadonlyArray<Item>, mode: ListingMode): ReadonlyArray<Item> => {
  if (mode === 'pages out of order') return [...items].reverse()
  return mode === 'half of each page' ? items.filter((_, index) => index % 2 === 0) : items
}

/** The start of a page. A token is its JSON. */
interface Start {
  readonly index: number
  readonly after: string
  readonly isEmpty?: boolean
}

const startOf = (asked: URLSearchParams, mode: ListingMode): Start => {
  const token = asked.get('continuation-token')
  if (token !== null) return JSON.parse(token) as Start
  return { index: 0, after: asked.get('start-after') ?? '', isEmpty: mode === 'empty first page' }
}

const pageOf = (asked: URLSearchParams, store: Pick<ListingStore, 'keys' | 'mode'>, pageKeys: number): AnsweredPage => {
  const { mode } = store
  const { index, after, isEmpty = false } = startOf(asked, mode)
  const empty = (next: Start): AnsweredPage => ({ items: [], token: JSON.stringify(next), count: 0 })
  if (mode === 'two tokens forever') return empty({ index: index === 1 ? 2 : 1, after })
  if (mode === 'empty pages forever') return empty({ index: index + 1, after })
  if (isEmpty) return empty({ index, after })
  const from = mode === 'the first page forever' ? 0 : index
  const to = from + Math.min(pageKeys, Number(asked.get('max-keys') ?? 1_000))
  const ordered = itemsOf(asked, after, store)
  const half = Math.ceil(ordered.length / pageKeys / 2) * pageKeys
  const all = mode === 'halves out of order' ? [...ordered.slice(half), ...ordered.slice(0, half)] : ordered
  const items = all.slice(from, to)
  const next: Start = { index: to, after, isEmpty: mode === 'empty pages between' }
  return {
    items: faulty(items, mode),
    token: to < all.length ? JSON.stringify(next) : undefined,
    count: mode === 'no KeyCount' ? undefined : items.length,
  }
}

/** Computed keys below a prefix: `000000`, `000001` and so on. */
interface NumberedFiles {
  readonly prefix: string
  readonly count: number
}

const generatedPage = (asked: URLSearchParams, { prefix, count }: NumberedFiles, pageKeys: number): AnsweredPage => {
  const keyAt = (index: number): string => `${prefix}${String(index).padStart(6, '0')}`
  const after = asked.get('start-after') ?? ''
  let [low, high] = [Number(asked.get('continuation-token') ?? 0), count]
  if (low === 0)
    while (low < high) {
      const middle = (low + high) >> 1
      if (byBytes(keyAt(middle), after) > 0) high = middle
      else low = middle + 1
    }
  const end = Math.min(count, low + Math.min(pageKeys, Number(asked.get('max-keys') ?? 1_000)))
  const items = Array.from({ length: end - low }, (_, index) => ({ key: keyAt(low + index), isLevel: false }))
  return { items, token: end < count ? String(end) : undefined, count: items.length }
}

const xmlEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const xml = (text: string): string => text.replace(/[&<>]/g, (character) => xmlEscapes[character] ?? '')

/** Escapes like Amazon S3. */
const escaped = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+')

const bodyOf = ({ items, token, count }: AnsweredPage, mode: ListingMode): string => {
  const spell = (key: string, isRaw: boolean): string => xml(isRaw ? key : escaped(key))
  const contents = items
    .filter(({ isLevel }) => !isLevel)
    .map(({ key }) => {
      const told = `<Key>${spell(key, mode === 'unescaped')}</Key><LastModified>1970-01-01T00:00:01.000Z</LastModified>`
      return `<Contents>${told}<Size>1</Size></Contents>`
    })
  const prefixes = items
    .filter(({ isLevel }) => isLevel)
    .map(({ key }) => `<CommonPrefixes><Prefix>${spell(key, mode.startsWith('unescaped'))}</Prefix></CommonPrefixes>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    mode === 'unescaped' ? '' : '<EncodingType>url</EncodingType>',
    count === undefined ? '' : `<KeyCount>${count}</KeyCount>`,
    `<IsTruncated>${token !== undefined}</IsTruncated>`,
    token === undefined ? '' : `<NextContinuationToken>${xml(token)}</NextContinuationToken>`,
    ...contents,
    ...prefixes,
    '</ListBucketResult>',
  ].join('')
}

export const startListingStore = async (
  keys: Iterable<string> = [],
  pageKeys = 10,
  numbered?: NumberedFiles,
): Promise<ListingStore> => {
  const asked: Array<URLSearchParams> = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    await buffer(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const [, , ...segments] = pathname.split('/')
    if (request.method === 'PUT') {
      store.keys.add(decodeURIComponent(segments.join('/')))
      return response.end()
    }
    if (!searchParams.has('list-type')) return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    asked.push(searchParams)
    response.setHeader('Content-Type', 'application/xml')
    if (store.delayMs > 0) await setTimeout(store.delayMs)
    const page =
      numbered !== undefined && searchParams.get('prefix') === numbered.prefix
        ? generatedPage(searchParams, numbered, pageKeys)
        : pageOf(searchParams, store, pageKeys)
    return response.end(bodyOf(page, store.mode))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const store: ListingStore = {
    endpoint: `http://127.0.0.1:${port}`,
    keys: new Set(keys),
    asked,
    mode: 'as S3',
    delayMs: 0,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return store
}
