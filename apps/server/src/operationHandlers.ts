import { Envelope, type Items, operations, type Page, type Tree } from '@canopy/domain'
import { type Headers, type HttpError, linkToNextPage, parseBounds, parsePage, Route } from '@canopy/http'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type ListingBody, listingBody } from './bodies/listing.js'
import { treeBody } from './bodies/tree.js'
import type { Downloads } from './files/Downloads.js'
import { type Body, type HttpResponse, json } from './http/HttpResponse.js'
import type { RequestContext } from './http/RequestContext.js'
import type { Metrics } from './observe/prometheus.js'
import type { AllPorts, Ports } from './ports.js'

export interface HandlerEnv {
  readonly context: RequestContext
  readonly ports: AllPorts
  readonly downloads: Downloads
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly metrics?: Metrics | undefined
}

/** Responds to one operation. */
export type Handler = (params: Route.RouteParams) => RTE.ReaderTaskEither<HandlerEnv, HttpError.HttpError, HttpResponse>

/** Runs an operation. The result is lazy, because it calls the ports while its body is written. */
type Run<Bounds, A> = (
  request: { readonly credential: string; readonly path: string; readonly signal: AbortSignal },
  bounds: Bounds,
) => RTE.ReaderTaskEither<Ports, HttpError.HttpError, A>

const ok = (credential: Route.Credential, body: Body, headers: Headers = {}): HttpResponse => ({
  status: 200,
  headers: { 'Cache-Control': Route.cacheControl[credential], ...headers },
  body,
})

const tree =
  (credential: Route.Credential, run: Run<Tree.Bounds, Tree.Tree>): Handler =>
  (params) =>
  ({ context, ports, treeNodes, metrics }) =>
    pipe(
      TE.fromEither(parseBounds(treeNodes)(params.query)),
      TE.flatMap((bounds) => run({ ...params, signal: context.signal }, bounds)(ports)),
      TE.flatMap((found) => () => {
        const sawUnreadable = (directory: Tree.Unreadable): void => {
          context.addUnreadable(directory)
          metrics?.sawUnreadable()
        }
        return treeBody(found, { sawUnreadable, wroteNodes: metrics?.wroteNodes, gone: context.signal })
      }),
      TE.map((body) => ok(credential, body)),
    )

const linkOf = (page: Page, { last, more }: ListingBody): Headers =>
  more && O.isSome(last) ? linkToNextPage(page, last.value) : {}

const listing =
  (credential: Route.Credential, run: Run<Page, Items.Items>): Handler =>
  (params) =>
  ({ context: { signal }, ports, metrics }) =>
    pipe(
      TE.fromEither(parsePage(params.query)),
      TE.flatMap((page) =>
        pipe(
          run({ ...params, signal }, page)(ports),
          TE.flatMap((items) => () => listingBody(items, { signal, wroteNodes: metrics?.wroteNodes })),
          TE.map((written) => ok(credential, written.body, linkOf(page, written))),
        ),
      ),
    )

const peek: Handler =
  ({ credential }) =>
  ({ ports }) =>
    pipe(
      operations.triggerPeek({ id: credential })(ports),
      TE.map((value) => ok('trigger', json(Envelope.triggerPeakJson(value)))),
    )

/** The five operations over HTTP: query to bounds, the operation, its body and headers. */
export const operationHandlers: { readonly [Name in Route.Operation]: Handler } = {
  storageTree: tree('token', ({ credential, ...request }, bounds) =>
    operations.storageTree({ token: credential, ...request }, bounds),
  ),
  userContentTree: tree('user id', ({ credential, ...request }, bounds) =>
    operations.userContentTree({ user: credential, ...request }, bounds),
  ),
  storageDirItems: listing('token', ({ credential, ...request }, page) =>
    operations.storageDirItems({ token: credential, ...request }, page),
  ),
  userContentDirItems: listing('user id', ({ credential, ...request }, page) =>
    operations.userContentDirItems({ user: credential, ...request }, page),
  ),
  triggerPeek: peek,
}
