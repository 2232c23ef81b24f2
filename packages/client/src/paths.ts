import { CanopyError } from './failures.js'

interface OfStorage {
  /** As it was issued: `cnp_` and 43 characters. A secret that opens an area, from the token's scope downwards. */
  readonly token: string
  /** Names as they are, without percent-encoding: `/` for the root, `/photos/a b.jpg` below it. */
  readonly path: string
}

interface OfUserContent {
  /** The user whose area is asked for, 0 to 2^64-1. Above 2^53 write it as a bigint or as text. */
  readonly user: string | bigint | number
  /** Names as they are, without percent-encoding: `/` for the root, `/photos/a b.jpg` below it. */
  readonly path: string
}

interface TreeBounds {
  /** Levels of children, from 0 (the node alone). Without it: all. */
  readonly depth?: number | undefined
}

interface PageBounds {
  /** The largest number of items on a page, from 1. Without it: all. */
  readonly limit?: number | undefined
  /** Only items whose name follows this one in byte order. No item needs to have this name. */
  readonly after?: string | undefined
}

export interface StorageTreeRequest extends OfStorage, TreeBounds {}
export interface UserContentTreeRequest extends OfUserContent, TreeBounds {}
export interface StorageDirItemsRequest extends OfStorage, PageBounds {}
export interface UserContentDirItemsRequest extends OfUserContent, PageBounds {}
export interface TriggerPeekRequest {
  /** The trigger's id as it is, without percent-encoding. It is all that peeking takes, and so a secret. */
  readonly id: string
}

export const malformedInput = (message: string): never => {
  throw new CanopyError({ error: 'malformed input', message })
}

// What a value must look like. No message repeats a value: it may be a secret with a typing error.

const bytesIn = (text: string): number => new TextEncoder().encode(text).length

/** 1 to 255 bytes of well-formed UTF-8 without `/` and NUL, neither `.` nor `..`. */
export const isName = (given: unknown): given is string =>
  typeof given === 'string' &&
  /^[^/\0\uD800-\uDFFF]{1,255}$/u.test(given) &&
  given !== '.' &&
  given !== '..' &&
  // A character of JavaScript takes at most three bytes.
  (given.length <= 85 || bytesIn(given) <= 255)

const nameSegment = (what: string, given: string): string =>
  isName(given)
    ? encodeURIComponent(given)
    : malformedInput(`the ${what} must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."`)

const tokenSegment = (given: string): string =>
  /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(given)
    ? given
    : malformedInput('the access token must be "cnp_" and 43 characters of base64url')

const userSegment = (given: string | bigint | number): string => {
  if (typeof given === 'number' && !Number.isSafeInteger(given))
    return malformedInput('the user id is not an exact integer: above 2^53 write it as a bigint or as text')
  const digits = String(given)
  return /^(?:0|[1-9][0-9]{0,19})$/.test(digits) && BigInt(digits) < 2n ** 64n
    ? digits
    : malformedInput('the user id must be a whole number from 0 to 18446744073709551615, without leading zeros')
}

/** Empty for the root, else each name behind a slash. */
const pathSegments = (given: string): string => {
  if (given === '/') return ''
  const [first, ...names] = given.split('/')
  const fits = names.length > 0 && names.length <= 255 && bytesIn(names.join('/')) <= 4096
  return first === '' && fits && names.every(isName)
    ? names.map((name) => `/${encodeURIComponent(name)}`).join('')
    : malformedInput('the path must be "/" or "/name/name", of at most 255 names and 4,096 bytes')
}

const wholeFrom = (name: string, least: number, given: number): string =>
  Number.isSafeInteger(given) && given >= least
    ? `${name}=${given}`
    : malformedInput(`${name} must be a whole number from ${least}, below 2^53`)

const query = ({ depth, limit, after }: TreeBounds & PageBounds): string => {
  const parameters = [
    ...(depth === undefined ? [] : [wholeFrom('depth', 0, depth)]),
    ...(limit === undefined ? [] : [wholeFrom('limit', 1, limit)]),
    ...(after === undefined ? [] : [`after=${nameSegment('name', after)}`]),
  ]
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

/** The targets of the interface, part 4, in its order: what follows the base URL. Throws on malformed input. */
export const targets = {
  storageTree: ({ token, path, depth }: StorageTreeRequest): string =>
    `/api/storage/v1/tree/${tokenSegment(token)}${pathSegments(path)}${query({ depth })}`,
  userContentTree: ({ user, path, depth }: UserContentTreeRequest): string =>
    `/api/usercontent/v1/tree/id/${userSegment(user)}${pathSegments(path)}${query({ depth })}`,
  storageDirItems: ({ token, path, limit, after }: StorageDirItemsRequest): string =>
    `/api/storage/v1/diritems/${tokenSegment(token)}${pathSegments(path)}${query({ limit, after })}`,
  userContentDirItems: ({ user, path, limit, after }: UserContentDirItemsRequest): string =>
    `/api/usercontent/v1/diritems/id/${userSegment(user)}${pathSegments(path)}${query({ limit, after })}`,
  triggerPeek: ({ id }: TriggerPeekRequest): string => `/api/triggers/v1/peek/${nameSegment('trigger id', id)}`,
}

const example = 'write it like https://files.example or http://127.0.0.1:8080/base'

/** `https://host:port/prefix` without a slash at its end. */
export const baseUrlOf = (given: string): string => {
  if (!URL.canParse(given)) return malformedInput(`the base URL must be a whole URL: ${example}`)
  const url = new URL(given)
  const wrong =
    url.protocol !== 'http:' && url.protocol !== 'https:'
      ? 'must be http or https'
      : url.username !== '' || url.password !== ''
        ? 'may not hold a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'may not hold a "?" or "#"'
          : undefined
  return wrong === undefined
    ? `${url.origin}${url.pathname.replace(/\/+$/, '')}`
    : malformedInput(`the base URL ${wrong}: ${example}`)
}
