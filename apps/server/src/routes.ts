import { Envelope, type Items, operations, type Page, type Tree } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type ListingBody, listingBody } from './bodies/listing.js'
import { treeBody } from './bodies/tree.js'
import { type Answer, type Body, type Headers, json } from './http/answers.js'
import type { Refusal } from './http/Refusal.js'
import { askedOf, pageOf, type RequestTarget, treeBounds } from './http/request.js'
import type { Metrics } from './observe/prometheus.js'
import type { Ports } from './ports.js'

/** The name of one of the five operations. */
export type Operation = keyof typeof operations

/** What an operation is asked, raw, as it is in the request target. */
export interface Asked {
  /** The token, the user id or the trigger id: one segment. */
  readonly credential: string
  /** What follows it. */
  readonly path: string
  readonly query: string
}

export interface RouteEnv extends Ports {
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly metrics?: Metrics | undefined
  /** Of this request: its tree leaves a directory unexpanded because it cannot be read. */
  readonly sawUnreadable: (directory: Tree.Unreadable) => void
  /** Aborts when the client leaves. */
  readonly signal: () => AbortSignal
}

/** How one operation is asked and answered over HTTP. */
export interface Route {
  readonly operation: Operation
  /** The target up to the credential. */
  readonly prefix: string
  readonly takesPath: boolean
  /** What the segment behind the prefix is. Tokens and triggers are secrets. */
  readonly credential: 'token' | 'user id' | 'trigger'
  readonly answer: (asked: Asked) => RTE.ReaderTaskEither<RouteEnv, Refusal, Answer>
}

const ok =
  (cacheControl: string, headers: Headers = {}) =>
  (body: Body): Answer => ({ status: 200, headers: { 'Cache-Control': cacheControl, ...headers }, body })

const ofOwner = 'private, no-cache'
const ofVisitor = 'public, no-cache'

/** Relative to the request's own target, so that no token is repeated in a header. */
const nextPage = ({ limit }: Page, { last, more }: ListingBody): Headers => {
  if (!more || O.isNone(last)) return {}
  const sameLimit = O.isSome(limit) ? `limit=${limit.value}&` : ''
  return { Link: `<?${sameLimit}after=${encodeURIComponent(last.value)}>; rel="next"` }
}

/** `A` is lazy: it asks the ports while its body is written. */
type Ask<Bounds, A> = (
  asked: Asked & { readonly signal: AbortSignal },
  bounds: Bounds,
) => RTE.ReaderTaskEither<Ports, Refusal, A>

const tree =
  (cacheControl: string, ask: Ask<Tree.Bounds, Tree.Tree>): Route['answer'] =>
  (asked) =>
  (env) =>
    pipe(
      TE.fromEither(treeBounds(env.treeNodes)(asked.query)),
      TE.flatMap((bounds) => ask({ ...asked, signal: env.signal() }, bounds)(env)),
      TE.flatMap((tree) => () => treeBody(tree, { ...env, wroteNodes: env.metrics?.wroteNodes, gone: env.signal() })),
      TE.map(ok(cacheControl)),
    )

const listing =
  (cacheControl: string, ask: Ask<Page, Items.Items>): Route['answer'] =>
  (asked) =>
  (env) =>
    pipe(
      TE.fromEither(pageOf(asked.query)),
      TE.bindTo('page'),
      TE.bindW('items', ({ page }) => ask({ ...asked, signal: env.signal() }, page)(env)),
      TE.bindW(
        'written',
        ({ items }) =>
          () =>
            listingBody(items, { signal: env.signal(), wroteNodes: env.metrics?.wroteNodes }),
      ),
      TE.map(({ page, written }) => ok(cacheControl, nextPage(page, written))(written.body)),
    )

/** The five operations of the interface, part 4, in its order. */
export const routes: ReadonlyArray<Route> = [
  {
    operation: 'storageTree',
    prefix: '/api/storage/v1/tree/',
    takesPath: true,
    credential: 'token',
    answer: tree(ofOwner, ({ credential, path, signal }, bounds) =>
      operations.storageTree({ token: credential, path, signal }, bounds),
    ),
  },
  {
    operation: 'userContentTree',
    prefix: '/api/usercontent/v1/tree/id/',
    takesPath: true,
    credential: 'user id',
    answer: tree(ofVisitor, ({ credential, path, signal }, bounds) =>
      operations.userContentTree({ user: credential, path, signal }, bounds),
    ),
  },
  {
    operation: 'storageDirItems',
    prefix: '/api/storage/v1/diritems/',
    takesPath: true,
    credential: 'token',
    answer: listing(ofOwner, ({ credential, path, signal }, page) =>
      operations.storageDirItems({ token: credential, path, signal }, page),
    ),
  },
  {
    operation: 'userContentDirItems',
    prefix: '/api/usercontent/v1/diritems/id/',
    takesPath: true,
    credential: 'user id',
    answer: listing(ofVisitor, ({ credential, path, signal }, page) =>
      operations.userContentDirItems({ user: credential, path, signal }, page),
    ),
  },
  {
    operation: 'triggerPeek',
    prefix: '/api/triggers/v1/peek/',
    takesPath: false,
    credential: 'trigger',
    answer: ({ credential }) =>
      pipe(
        operations.triggerPeek({ id: credential }),
        RTE.map((value) => ok('no-store')(json(Envelope.triggerPeakJson(value)))),
      ),
  },
]

/** The route of a request that has not come to the router. */
export const routeOf = (target: RequestTarget): { readonly route: Route; readonly asked: Asked } | undefined => {
  for (const route of routes) {
    const asked = askedOf(route, target)
    if (O.isSome(asked)) return { route, asked: asked.value }
  }
  return undefined
}
