import { Envelope, type Items, operations, type Tree } from '@canopy/domain'
import {
  type Headers,
  type HttpError,
  linesType,
  linkToNextPage,
  parseItemsBounds,
  parseTreeBounds,
  Route,
} from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { bodyOf } from './bodies/bodyOf.js'
import { linePieces } from './bodies/lines.js'
import { type ListingBody, listingBody } from './bodies/listing.js'
import { treePieces } from './bodies/tree.js'
import { type Body, type HttpResponse, json } from './http/HttpResponse.js'
import type { RequestContext } from './http/RequestContext.js'
import type { Metrics } from './observe/prometheus.js'
import type { AllPorts } from './ports.js'

export interface HandlerEnv {
  readonly context: RequestContext
  readonly ports: AllPorts
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly metrics?: Metrics | undefined
}

/** Responds to one operation. */
export type Handler = (match: Route.Match) => RTE.ReaderTaskEither<HandlerEnv, HttpError.HttpError, HttpResponse>

/** What an operation needs of its request. The credential has both names: each operation reads the one of its clients. */
export const operationRequest = ({ params: { credential, path } }: Route.Match, { signal }: RequestContext) => ({
  token: credential,
  user: credential,
  path,
  signal,
})

/** Runs an operation. The result is lazy, because it calls the ports while its body is written. */
export type Run<Bounds, A> = (
  request: ReturnType<typeof operationRequest>,
  bounds: Bounds,
) => RTE.ReaderTaskEither<AllPorts, HttpError.HttpError, A>

const ok = ({ route }: Route.Match, body: Body, headers: Headers = {}): HttpResponse => ({
  status: 200,
  headers: { 'Cache-Control': Route.cacheControl[route.credential], ...headers },
  body,
})

const tree =
  (run: Run<Tree.Bounds, Tree.Tree>): Handler =>
  (match) =>
  ({ context, ports, treeNodes, metrics }) =>
  async () => {
    const { signal, wantsLines } = context
    const bounds = parseTreeBounds(treeNodes, wantsLines)(match.params.query)
    if (E.isLeft(bounds)) return bounds
    const found = await run(operationRequest(match, context), bounds.right)(ports)()
    if (E.isLeft(found)) return found
    const sawUnreadable = (directory: Tree.Unreadable): void => {
      context.addUnreadable(directory)
      metrics?.sawUnreadable()
    }
    const options = { sawUnreadable, wroteNodes: metrics?.wroteNodes, signal }
    const pieces = wantsLines ? linePieces(found.right, bounds.right, options) : treePieces(found.right, options)
    const body = await bodyOf(pieces, options)
    const contentType: Headers = wantsLines ? { 'Content-Type': linesType } : {}
    return E.isLeft(body) ? body : E.right(ok(match, body.right, { Vary: 'Accept', ...contentType }))
  }

const linkOf = (bounds: Items.Bounds, { last, more }: ListingBody): Headers =>
  more && O.isSome(last) ? linkToNextPage(bounds, last.value) : {}

const listing =
  (run: Run<Items.Bounds, Items.Items>): Handler =>
  (match) =>
  ({ context, ports, metrics }) =>
  async () => {
    const bounds = parseItemsBounds(match.params.query)
    if (E.isLeft(bounds)) return bounds
    const items = await run(operationRequest(match, context), bounds.right)(ports)()
    if (E.isLeft(items)) return items
    const written = await listingBody(items.right, { signal: context.signal, wroteNodes: metrics?.wroteNodes })
    if (E.isLeft(written)) return written
    return E.right(ok(match, written.right.body, linkOf(bounds.right, written.right)))
  }

const peek: Handler =
  (match) =>
  ({ ports }) =>
  async () => {
    const value = await operations.triggerPeek({ id: match.params.credential })(ports)()
    return E.isLeft(value) ? value : E.right(ok(match, json(Envelope.triggerPeakJson(value.right))))
  }

/** The five operations over HTTP: query to bounds, the operation, its body and headers. */
export const operationHandlers: { readonly [Name in Route.Operation]: Handler } = {
  storageTree: tree(operations.storageTree),
  userContentTree: tree(operations.userContentTree),
  storageDirItems: listing(operations.storageDirItems),
  userContentDirItems: listing(operations.userContentDirItems),
  triggerPeek: peek,
}
