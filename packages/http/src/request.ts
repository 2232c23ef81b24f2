import { Items, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type BadRequest, badRequest, headTooLarge, malformed, noSuchRoute, type QueryParameter } from './HttpError.js'

/** Reports whether a method is GET or HEAD. The operations accept no other, because they only read. */
export const isReadMethod = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD'

// The target.

/** A request target, split but not decoded. */
export interface RequestTarget {
  /** From the base path to the `?`; empty for the base path itself. */
  readonly path: string
  /** After the `?`; empty without one. */
  readonly query: string
}

/**
 * Splits a raw target. A target that a proxy could read differently is a bad request: a whole URL, or one with a raw `#`. A
 * target outside the base path is not a route.
 */
export const parseTarget =
  (basePath: string) =>
  (url: string): E.Either<BadRequest | typeof noSuchRoute, RequestTarget> => {
    if (!url.startsWith('/') || url.includes('#')) return E.left(badRequest)
    const end = url.includes('?') ? url.indexOf('?') : url.length
    const path = url.slice(basePath.length, end)
    return url.startsWith(basePath) && (path === '' || path.startsWith('/'))
      ? E.right({ path, query: url.slice(end + 1) })
      : E.left(noSuchRoute)
  }

// The head.

/** Names and values alternate in `rawHeaders`, as in `node:http`. */
interface RequestHead {
  readonly httpVersion: string
  readonly rawHeaders: ReadonlyArray<string>
}

/** Requests with more are rejected, because dropping the last ones would drop those of the nearest proxy. */
export const maxHeaders = 100

/** A host name or an address, and a port; both may be empty (RFC 3986, 3.2). */
const authority = /^(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:[0-9]*)?$/

/** Returns the values of all headers with this lower-case name. */
const headerValues = ({ rawHeaders }: RequestHead, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  // Stryker disable next-line EqualityOperator: there is no header after the last one
  for (let index = 0; index < rawHeaders.length; index += 2)
    // Stryker disable next-line ConditionalExpression,OptionalChaining: comparing the lengths is a fast path
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      // Stryker disable next-line StringLiteral: each name has a value
      values.push(rawHeaders[index + 1] ?? '')
  return values
}

/** Reports whether there is exactly one `Host`. HTTP/1.0 also allows none. */
const hasOneHost = (head: RequestHead): boolean => {
  const [host, ...others] = headerValues(head, 'host')
  return host === undefined ? head.httpVersion === '1.0' : others.length === 0 && authority.test(host)
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i

/** Reports whether a request was meant for this machine: a website can let its own name resolve to 127.0.0.1. */
export const isForLoopback = (head: RequestHead): boolean =>
  headerValues(head, 'host').every((host) => loopbackHost.test(host))

const isChunkedLast = /(?:^|,)[ \t]*chunked[ \t]*$/i

/**
 * Unless `chunked` is the last coding, or in HTTP/1.0 with any coding, the end of the body is ambiguous (RFC 9112, 6.1 and
 * 6.3).
 */
const hasUnambiguousLength = (head: RequestHead): boolean => {
  const last = headerValues(head, 'transfer-encoding').at(-1)
  return last === undefined || (head.httpVersion !== '1.0' && isChunkedLast.test(last))
}

/** Node also parses HTTP/0.9 and 2.0, which do not have this form. */
const hasKnownVersion = ({ httpVersion }: RequestHead): boolean => httpVersion === '1.1' || httpVersion === '1.0'

/** Returns why a head must be rejected, or `undefined`. A proxy could read it differently, or it has too many headers. */
export const headProblem = (head: RequestHead): BadRequest | undefined => {
  if (head.rawHeaders.length > 2 * maxHeaders) return headTooLarge
  return hasKnownVersion(head) && hasOneHost(head) && hasUnambiguousLength(head) ? undefined : badRequest
}

// The query.

type Parsed<A> = E.Either<BadRequest, A>

/** Decodes form encoding: `+` is a space. Strict: a malformed escape is an error. */
const decode = (raw: string): O.Option<string> => O.tryCatch(() => decodeURIComponent(raw.replaceAll('+', ' ')))

const characterOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/**
 * Reports whether a key spells this name, escaped or not. Unlike decoding it does not throw, because a query may contain
 * thousands of malformed keys.
 */
const spells =
  (name: string) =>
  (key: string): boolean => {
    // Stryker disable next-line ConditionalExpression: this only saves time
    if (key.length > 3 * name.length) return false
    return key.replace(/%([0-9a-f]{2})/gi, characterOf) === name
  }

const keyAndValue = (pair: string): { readonly key: string; readonly value: string } => {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length
  return { key: pair.slice(0, end), value: pair.slice(end + 1) }
}

/** Returns the value of a parameter, if the query has it; `bad request` if it occurs twice or has a malformed escape. */
const parseParameter =
  (name: QueryParameter) =>
  (query: string): Parsed<string | undefined> => {
    // Stryker disable next-line ConditionalExpression,StringLiteral: this only saves time
    if (query === '') return E.right(undefined)
    const [value, ...others] = query
      .split('&')
      .map(keyAndValue)
      .filter(({ key }) => spells(name)(key))
      .map(({ value }) => value)
    if (value === undefined) return E.right(undefined)
    const decoded = others.length === 0 ? decode(value) : O.none
    return E.fromOption(() => malformed(name))(decoded)
  }

/**
 * Parses `?depth=`: levels of children, 0 or more; for lines also `?after=`, a path, and `?name=`, a pattern. `maxNodes` is the node
 * budget of the server.
 */
export const parseTreeBounds =
  (maxNodes: number, asLines = false) =>
  (query: string): Parsed<Tree.Bounds> => {
    const queryOfLines = asLines ? query : ''
    return pipe(
      E.Do,
      E.bind('depth', () => parseParameter('depth')(query)),
      E.bind('after', () => parseParameter('after')(queryOfLines)),
      E.bind('name', () => parseParameter('name')(queryOfLines)),
      E.flatMap(({ depth, ...lines }) =>
        pipe(
          Tree.bounds({ depth, nodes: maxNodes, lines: asLines ? lines : undefined }),
          // Stryker disable next-line ConditionalExpression,StringLiteral: the configuration has checked `nodes`
          E.mapLeft((field) => (field === 'nodes' ? badRequest : malformed(field))),
        ),
      ),
    )
  }

const itemsBoundsWith = (fields: Parameters<typeof Items.bounds>[0]): Parsed<Items.Bounds> =>
  pipe(Items.bounds(fields), E.mapLeft(malformed))

/** Parses `?limit=`, items, 1 or more, and `?after=`, a name. If both are malformed, the error names `limit`. */
export const parseItemsBounds = (query: string): Parsed<Items.Bounds> => {
  const limit = parseParameter('limit')(query)
  if (E.isLeft(limit)) return limit
  const fields = { limit: limit.right }
  const limited = itemsBoundsWith(fields)
  if (E.isLeft(limited)) return limited
  const after = parseParameter('after')(query)
  return E.isLeft(after) ? after : itemsBoundsWith({ ...fields, after: after.right })
}

/** Parses `?zip`, which takes no value: whether a directory is requested as an archive. */
export const parseZip = (query: string): Parsed<boolean> =>
  pipe(
    parseParameter('zip')(query),
    E.flatMap((value) => (value ? E.left(malformed('zip')) : E.right(value === ''))),
  )
