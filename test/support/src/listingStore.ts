import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closed, listening } from './listening.js'

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
  /** Finds directories by any case, and spells keys as requested: MinIO over such a file system. */
  | 'ignores case'
  /** Spells keys as they were put. */
  | 'ignores case of prefixes'
  /** Like Ceph before 14.2.6, which escapes only keys. */
  | 'unescaped prefixes'
  /** Like stores without `encoding-type`. */
  | 'unescaped'

export type ListingStore = Awaited<ReturnType<typeof startListingStore>>

interface Item {
  readonly key: string
  readonly isLevel: boolean
}

interface Page {
  readonly items: ReadonlyArray<Item>
  readonly token?: string | undefined
  readonly count: number | undefined
}

interface Listed {
  readonly keys: Set<string>
  mode: ListingMode
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const keysAt = (prefix: string, { keys, mode }: Listed): ReadonlyArray<string> => {
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
const itemsOf = (asked: URLSearchParams, after: string, store: Listed): ReadonlyArray<Item> => {
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

const pageOf = (asked: URLSearchParams, store: Listed, maxKeys: number): Page => {
  const { mode } = store
  const token = asked.get('continuation-token')
  const first = { index: 0, after: asked.get('start-after') ?? '', isEmpty: mode === 'empty first page' }
  const { index, after, isEmpty = false }: Start = token === null ? first : JSON.parse(token)
  const empty = (next: Start): Page => ({ items: [], token: JSON.stringify(next), count: 0 })
  if (mode === 'two tokens forever') return empty({ index: index === 1 ? 2 : 1, after })
  if (mode === 'empty pages forever') return empty({ index: index + 1, after })
  if (isEmpty) return empty({ index, after })
  const from = mode === 'the first page forever' ? 0 : index
  const to = from + maxKeys
  const ordered = itemsOf(asked, after, store)
  const half = Math.ceil(ordered.length / maxKeys / 2) * maxKeys
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

const generatedPage = (asked: URLSearchParams, { prefix, count }: NumberedFiles, maxKeys: number): Page => {
  const after = asked.get('start-after')?.slice(prefix.length, prefix.length + 6)
  const start = Number(asked.get('continuation-token') ?? (after ? Number(after) + 1 : 0))
  const end = Math.min(count, start + maxKeys)
  const keyAt = (index: number): string => `${prefix}${String(index).padStart(6, '0')}`
  const items = Array.from({ length: end - start }, (_, index) => ({ key: keyAt(start + index), isLevel: false }))
  return { items, token: end < count ? String(end) : undefined, count: items.length }
}

const xmlEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const xml = (text: string): string => text.replace(/[&<>]/g, (character) => xmlEscapes[character] ?? '')

/** Escapes like Amazon S3. */
const escaped = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+')

const bodyOf = ({ items, token, count }: Page, mode: ListingMode): string => {
  const spell = (key: string, isRaw: boolean): string => xml(isRaw ? key : escaped(key))
  const prefix = (key: string) => `<Prefix>${spell(key, mode.startsWith('unescaped'))}</Prefix>`
  const time = '<LastModified>1970-01-01T00:00:01.000Z</LastModified>'
  const file = (key: string) => `<Key>${spell(key, mode === 'unescaped')}</Key>${time}<Size>1</Size>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    mode === 'unescaped' ? '' : '<EncodingType>url</EncodingType>',
    count === undefined ? '' : `<KeyCount>${count}</KeyCount>`,
    `<IsTruncated>${token !== undefined}</IsTruncated>`,
    token === undefined ? '' : `<NextContinuationToken>${xml(token)}</NextContinuationToken>`,
    ...items.map(({ key, isLevel }) =>
      isLevel ? `<CommonPrefixes>${prefix(key)}</CommonPrefixes>` : `<Contents>${file(key)}</Contents>`,
    ),
    '</ListBucketResult>',
  ].join('')
}

/** A store of one bucket that lists keys, accepts objects, and checks no signatures. */
export const startListingStore = async (keys: Iterable<string> = [], pageKeys = 10, numbered?: NumberedFiles) => {
  const listed: Listed = { keys: new Set(keys), mode: 'as S3' }
  const asked: Array<URLSearchParams> = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    await buffer(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const [, , ...segments] = pathname.split('/')
    if (request.method === 'PUT') {
      listed.keys.add(decodeURIComponent(segments.join('/')))
      return response.end()
    }
    if (!searchParams.has('list-type')) return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    asked.push(searchParams)
    response.setHeader('Content-Type', 'application/xml')
    const maxKeys = Math.min(pageKeys, Number(searchParams.get('max-keys') ?? 1_000))
    const page =
      numbered !== undefined && searchParams.get('prefix') === numbered.prefix
        ? generatedPage(searchParams, numbered, maxKeys)
        : pageOf(searchParams, listed, maxKeys)
    return response.end(bodyOf(page, listed.mode))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const endpoint = `http://127.0.0.1:${await listening(server)}`
  return Object.assign(listed, { endpoint, asked, stop: () => closed(server) })
}
