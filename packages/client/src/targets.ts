import { CanopyError } from './failures.js'

interface StorageRequest {
  /** `cnp_` and 43 characters. A secret that opens an area, from the token's scope downwards. */
  readonly token: string
  /** `/` for the root, `/photos/a b.jpg` below it. Not percent-encoded. */
  readonly path: string
}

interface UserContentRequest {
  /** The owner of the area, 0 to 2^64-1. Pass ids above 2^53 as a bigint or as text. */
  readonly user: string | bigint | number
  /** `/` for the root, `/photos/a b.jpg` below it. Not percent-encoded. */
  readonly path: string
}

interface TreeBounds {
  /** Levels of children, from 0 (the node alone). Default: all. */
  readonly depth?: number | undefined
}

interface PageBounds {
  /** The largest number of items on a page, from 1. Default: all. */
  readonly limit?: number | undefined
  /** Only items whose names follow this one in byte order. An item of this name need not exist. */
  readonly after?: string | undefined
}

interface WalkBounds extends TreeBounds {
  /** Only nodes that follow this path, depth first: `path` or a path below it. A node need not exist there. */
  readonly after?: string | undefined
  /** Only nodes whose names match: `*` matches any characters, `?` one, `\` escapes. ASCII letters match in either case. */
  readonly name?: string | undefined
}

export type WalkRequest = (StorageRequest | UserContentRequest) & WalkBounds
/** A file or, with `zip`, a directory as an archive. */
export type FileRequest = (StorageRequest | UserContentRequest) & { readonly zip?: boolean | undefined }
export interface StorageTreeRequest extends StorageRequest, TreeBounds {}
export interface UserContentTreeRequest extends UserContentRequest, TreeBounds {}
export interface StorageDirItemsRequest extends StorageRequest, PageBounds {}
export interface UserContentDirItemsRequest extends UserContentRequest, PageBounds {}
export interface TriggerPeekRequest {
  /** Not percent-encoded. A secret: it is the only credential of a peek. */
  readonly id: string
}

export const malformedInput = (message: string): never => {
  throw new CanopyError({ error: 'malformed input', message })
}

// No message repeats the given value, because it may be a mistyped secret.

const utf8Length = (text: string): number => new TextEncoder().encode(text).length

/** Reports whether a value is a name: 1 to 255 bytes of well-formed UTF-8 without `/` and NUL, neither `.` nor `..`. */
export const isName = (given: unknown): given is string =>
  typeof given === 'string' &&
  /^[^/\0\uD800-\uDFFF]{1,255}$/u.test(given) &&
  given !== '.' &&
  given !== '..' &&
  // A UTF-16 unit takes at most three bytes of UTF-8.
  (given.length <= 85 || utf8Length(given) <= 255)

const encodeName = (subject: string, given: string): string =>
  isName(given)
    ? encodeURIComponent(given)
    : malformedInput(`the ${subject} must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."`)

export const checkToken = (given: string): string =>
  /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(given)
    ? given
    : malformedInput('the access token must be "cnp_" and 43 characters of base64url')

export const formatUser = (given: string | bigint | number): string => {
  if (typeof given === 'number' && !Number.isSafeInteger(given))
    return malformedInput('the user id is not an exact integer: above 2^53 write it as a bigint or as text')
  const digits = String(given)
  return /^(?:0|[1-9][0-9]{0,19})$/.test(digits) && BigInt(digits) < 2n ** 64n
    ? digits
    : malformedInput('the user id must be a whole number from 0 to 18446744073709551615, without leading zeros')
}

/** Returns the path in a target: empty for the root, else each name after a slash. */
export const encodePath = (given: string): string => {
  if (given === '/') return ''
  const [first, ...names] = given.split('/')
  const fits = names.length > 0 && names.length <= 255 && utf8Length(names.join('/')) <= 4096
  return first === '' && fits && names.every(isName)
    ? names.map((name) => `/${encodeURIComponent(name)}`).join('')
    : malformedInput('the path must be "/" or "/name/name", of at most 255 names and 4,096 bytes')
}

const formatBound = (name: string, min: number, given: number): string =>
  Number.isSafeInteger(given) && given >= min
    ? `${name}=${given}`
    : malformedInput(`${name} must be a whole number from ${min}, below 2^53`)

const formatQuery = (
  { depth, limit, after, name }: WalkBounds & PageBounds,
  encodeAfter = (given: string): string => encodeName('name', given),
): string => {
  const parameters = [
    ...(depth === undefined ? [] : [formatBound('depth', 0, depth)]),
    ...(limit === undefined ? [] : [formatBound('limit', 1, limit)]),
    ...(after === undefined ? [] : [`after=${encodeAfter(after)}`]),
    ...(name === undefined ? [] : [`name=${encodeName('pattern', name)}`]),
  ]
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

/** Request targets below the base URL, in the order of docs/http-api.md. They throw on malformed input. */
export const targets = {
  storageTree: ({ token, path, depth }: StorageTreeRequest): string =>
    `/api/storage/v1/tree/${checkToken(token)}${encodePath(path)}${formatQuery({ depth })}`,
  userContentTree: ({ user, path, depth }: UserContentTreeRequest): string =>
    `/api/usercontent/v1/tree/id/${formatUser(user)}${encodePath(path)}${formatQuery({ depth })}`,
  storageDirItems: ({ token, path, limit, after }: StorageDirItemsRequest): string =>
    `/api/storage/v1/diritems/${checkToken(token)}${encodePath(path)}${formatQuery({ limit, after })}`,
  userContentDirItems: ({ user, path, limit, after }: UserContentDirItemsRequest): string =>
    `/api/usercontent/v1/diritems/id/${formatUser(user)}${encodePath(path)}${formatQuery({ limit, after })}`,
  triggerPeek: ({ id }: TriggerPeekRequest): string => `/api/triggers/v1/peek/${encodeName('trigger id', id)}`,
}

/** Returns the target of a file or an archive. */
export const fileTarget = ({ path, zip = false, ...client }: FileRequest): string => {
  const segments = 'token' in client ? `token/${checkToken(client.token)}` : `id/${formatUser(client.user)}`
  return `/files/${segments}${encodePath(path)}${zip ? '?zip' : ''}`
}

/** Returns the target of a tree as lines. */
export const walkTarget = ({ depth, after, name, ...node }: WalkRequest): string => {
  const tree = 'token' in node ? targets.storageTree(node) : targets.userContentTree(node)
  return `${tree}${formatQuery({ depth, after, name }, (path) => encodePath(path) || '/')}`
}

const example = 'use a URL such as https://files.example or http://127.0.0.1:8080/base'

/** `https://host:port/prefix` without a trailing slash. */
export const normalizeBaseUrl = (given: string): string => {
  if (!URL.canParse(given)) return malformedInput(`the base URL must be a whole URL: ${example}`)
  const url = new URL(given)
  const problem =
    url.protocol !== 'http:' && url.protocol !== 'https:'
      ? 'must be http or https'
      : url.username !== '' || url.password !== ''
        ? 'may not contain a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'may not contain a "?" or "#"'
          : undefined
  return problem === undefined
    ? `${url.origin}${url.pathname.replace(/\/+$/, '')}`
    : malformedInput(`the base URL ${problem}: ${example}`)
}
