import { Envelope, type Items, operations, type Page, type Tree, type TriggerValue } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { type Answer, type Body, type Headers, json } from './Answer.js'
import { type ItemsBody, itemsBody } from './itemsBody.js'
import type { Metrics } from './observe/metrics/Metrics.js'
import type { Ports } from './Ports.js'
import * as query from './query.js'
import type { Refusal } from './Refusal.js'
import { treeBody } from './treeBody.js'

/** What an operation is asked, raw, as it stands in the request target. */
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
  readonly metrics?: Metrics
}

export interface Route {
  readonly operation: keyof typeof operations
  /** The target up to the credential. */
  readonly prefix: string
  readonly takesPath: boolean
  /** What a log line shows in place of the credential; none when it is no secret. */
  readonly secret: O.Option<string>
  readonly answer: (asked: Asked) => RTE.ReaderTaskEither<RouteEnv, Refusal, Answer>
}

const ok =
  (cacheControl: string, headers: Headers = {}) =>
  (body: Body): Answer => ({ status: 200, headers: { 'Cache-Control': cacheControl, ...headers }, body })

const ofOwner = 'private, no-cache'
const ofVisitor = 'public, no-cache'

const treeBounds = (asked: Asked) =>
  RTE.asksReaderTaskEither(({ treeNodes }: RouteEnv) => RTE.fromEither(query.treeBounds(treeNodes)(asked.query)))

const treeAnswer = (cacheControl: string) => (tree: Tree.Tree) =>
  pipe(
    RTE.asksReaderTaskEither(({ metrics }: RouteEnv) => RTE.fromTaskEither(treeBody(tree, metrics?.wroteNodes))),
    RTE.map(ok(cacheControl)),
  )

const pageOf = (asked: Asked) => RTE.fromEither(query.page(asked.query))

/** Relative to the request's own target, so that no token is repeated in a header. */
const nextPage = (page: Page, { last, more }: ItemsBody): Headers =>
  pipe(
    last,
    O.filter(() => more),
    O.match(
      () => ({}),
      (name) => {
        const limit = pipe(
          page.limit,
          O.match(
            () => '',
            (count) => `limit=${count}&`,
          ),
        )
        return { Link: `<?${limit}after=${encodeURIComponent(name)}>; rel="next"` }
      },
    ),
  )

const itemsAnswer = (cacheControl: string, page: Page) => (items: Items.Items) =>
  pipe(
    RTE.fromTask(() => itemsBody(items)),
    RTE.map((written) => ok(cacheControl, nextPage(page, written))(written.body)),
  )

const peekAnswer = (value: TriggerValue.TriggerValue) => ok('no-store')(json(Envelope.triggerPeakJson(value)))

/** The five operations of the interface, part 4, in its order. */
export const routes: ReadonlyArray<Route> = [
  {
    operation: 'storageTree',
    prefix: '/api/storage/v1/tree/',
    takesPath: true,
    secret: O.some('[token]'),
    answer: (asked) =>
      pipe(
        treeBounds(asked),
        RTE.flatMap((bounds) => operations.storageTree({ token: asked.credential, path: asked.path }, bounds)),
        RTE.flatMap(treeAnswer(ofOwner)),
      ),
  },
  {
    operation: 'userContentTree',
    prefix: '/api/usercontent/v1/tree/id/',
    takesPath: true,
    secret: O.none,
    answer: (asked) =>
      pipe(
        treeBounds(asked),
        RTE.flatMap((bounds) => operations.userContentTree({ user: asked.credential, path: asked.path }, bounds)),
        RTE.flatMap(treeAnswer(ofVisitor)),
      ),
  },
  {
    operation: 'storageDirItems',
    prefix: '/api/storage/v1/diritems/',
    takesPath: true,
    secret: O.some('[token]'),
    answer: (asked) =>
      pipe(
        pageOf(asked),
        RTE.flatMap((page) =>
          pipe(
            operations.storageDirItems({ token: asked.credential, path: asked.path }, page),
            RTE.flatMap(itemsAnswer(ofOwner, page)),
          ),
        ),
      ),
  },
  {
    operation: 'userContentDirItems',
    prefix: '/api/usercontent/v1/diritems/id/',
    takesPath: true,
    secret: O.none,
    answer: (asked) =>
      pipe(
        pageOf(asked),
        RTE.flatMap((page) =>
          pipe(
            operations.userContentDirItems({ user: asked.credential, path: asked.path }, page),
            RTE.flatMap(itemsAnswer(ofVisitor, page)),
          ),
        ),
      ),
  },
  {
    operation: 'triggerPeek',
    prefix: '/api/triggers/v1/peek/',
    takesPath: false,
    secret: O.some('[trigger]'),
    answer: (asked) => pipe(operations.triggerPeek({ id: asked.credential }), RTE.map(peekAnswer)),
  },
]
