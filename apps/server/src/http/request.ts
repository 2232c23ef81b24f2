import type { IncomingMessage } from 'node:http'
import { Items, type Page, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Asked, Route } from '../routes.js'
import { type BadRequest, badRequest, headTooLarge, malformed, noSuchRoute, type QueryParameter } from './Refusal.js'

export const isReading = ({ method }: Pick<IncomingMessage, 'method'>): boolean => method === 'GET' || method === 'HEAD'

/** The request target as it came in, split but not decoded. */
export interface RequestTarget {
  /** From the base path to the `?`. ASCII: Node refuses other bytes in a target. Empty for the base path alone. */
  readonly path: string
  /** After the `?`; empty when there is none. */
  readonly query: string
}

/**
 * Refuses what a proxy and we might read differently: a whole URL as target, and a raw `#`. What does not lie below the base
 * path is no route.
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

/**
 * What a target asks of a route: `none` when it is not the route's after all. Cut from the raw target, because the
 * router decodes its own parameters leniently, and `%2F` ends neither a token nor an id.
 */
export const askedOf = (route: Route, { path: target, query }: RequestTarget): O.Option<Asked> => {
  if (!target.startsWith(route.prefix)) return O.none
  const rest = target.slice(route.prefix.length)
  const end = rest.includes('/') ? rest.indexOf('/') : rest.length
  const asked = { credential: rest.slice(0, end), path: rest.slice(end), query }
  return asked.credential !== '' && (route.takesPath || asked.path === '') ? O.some(asked) : O.none
}

type Head = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>

/** More are refused, not left out: the last ones are those of the nearest proxy. */
export const maxHeaders = 100

/** A name or an address, and a port; both may be empty (RFC 3986, 3.2). */
const authority = /^(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:[0-9]*)?$/

/** The values of all headers with this name, which is in lower case. */
const valuesOf = ({ rawHeaders }: Head, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  // Stryker disable next-line EqualityOperator: there is no header behind the last one
  for (let index = 0; index < rawHeaders.length; index += 2)
    // Stryker disable next-line ConditionalExpression,OptionalChaining: the length is only there to be quick
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '')
  return values
}

/** One Host header; a client of HTTP/1.0 may have none. */
const namesOneHost = (head: Head): boolean => {
  const [host, ...others] = valuesOf(head, 'host')
  return host === undefined ? head.httpVersion === '1.0' : others.length === 0 && authority.test(host)
}

const isChunkedLast = /(?:^|,)[ \t]*chunked[ \t]*$/i

/** No one knows where a body ends that is coded otherwise, nor one of HTTP/1.0, which has no codings (RFC 9112, 6.1 and 6.3). */
const framesItsBody = (head: Head): boolean => {
  const last = valuesOf(head, 'transfer-encoding').at(-1)
  return last === undefined || (head.httpVersion !== '1.0' && isChunkedLast.test(last))
}

/** Node reads requests of HTTP/0.9 and 2.0 as well, which have no such form. */
const isKnownVersion = ({ httpVersion }: Head): boolean => httpVersion === '1.1' || httpVersion === '1.0'

/** What is wrong with the headers of a request, whatever it asks for: a proxy might read them differently. */
export const headProblem = (head: Head): BadRequest | undefined => {
  if (head.rawHeaders.length > 2 * maxHeaders) return headTooLarge
  return isKnownVersion(head) && namesOneHost(head) && framesItsBody(head) ? undefined : badRequest
}

type Parsed<A> = E.Either<BadRequest, A>

/** As forms and URLSearchParams write it: `+` is a space. Strict: a malformed escape is an error. */
const decode = (raw: string): O.Option<string> => O.tryCatch(() => decodeURIComponent(raw.replaceAll('+', ' ')))

const ofEscape = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** Whether this is the name, in any spelling. Throws nothing, as decoding would: a query may hold thousands of odd names. */
const spells =
  (name: string) =>
  (raw: string): boolean =>
    raw === name || (raw.length <= 3 * name.length && raw.replace(/%([0-9a-f]{2})/gi, ofEscape) === name)

/** The one value of a parameter; `bad request` when it is given twice or its escapes are malformed. */
const parameter =
  (name: QueryParameter) =>
  (query: string): Parsed<O.Option<string>> => {
    const values = query
      .split('&')
      .map((pair) => pair.split('='))
      .filter(([key = '']) => spells(name)(key))
      .map(([, ...value]) => value.join('='))
    return values.length > 1
      ? E.left(malformed(name))
      : pipe(
          RA.head(values),
          O.match(
            () => E.right(O.none),
            (raw) =>
              pipe(
                decode(raw),
                E.fromOption(() => malformed(name)),
                E.map(O.some),
              ),
          ),
        )
  }

type Text = O.Option<string>

/** Query to bounds: `depth`, levels of children from 0. */
export const treeBounds =
  (nodes: number) =>
  (query: string): Parsed<Tree.Bounds> =>
    pipe(
      parameter('depth')(query),
      E.flatMap((depth: Text) =>
        pipe(
          Tree.bounds({ depth: O.toUndefined(depth), nodes }),
          E.mapLeft(() => malformed('depth')),
        ),
      ),
    )

const pageWith = (limit: Text, after: Text): Parsed<Page> =>
  pipe(Items.page({ limit: O.toUndefined(limit), after: O.toUndefined(after) }), E.mapLeft(malformed))

/** Query to page: `limit`, items from 1; `after`, a name. */
export const pageOf = (query: string): Parsed<Page> =>
  pipe(
    parameter('limit')(query),
    E.tap((limit) => pageWith(limit, O.none)),
    E.flatMap((limit) =>
      pipe(
        parameter('after')(query),
        E.flatMap((after) => pageWith(limit, after)),
      ),
    ),
  )
