import { Envelope, Items, operations, Tree, type TriggerValue } from '@canopy/domain'
import * as http from '@canopy/http'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { mapPorts as ports } from './mapPorts.js'

type Answer<A> = TE.TaskEither<http.HttpError.HttpError, A>
type Respond = (credential: string, path: string, query: string) => Answer<{ body: string; link?: object }>

const tree = (query: string, ask: (bounds: Tree.Bounds) => Answer<Tree.Tree>) =>
  pipe(
    TE.fromEither(http.parseTreeBounds(100_000)(query)),
    TE.flatMap(ask),
    TE.flatMap(Tree.collect),
    TE.map((node) => ({ body: Envelope.treeJson(node) })),
  )
const listing = (query: string, ask: (page: Items.Bounds) => Answer<Items.Items>) =>
  pipe(
    TE.bindTo('page')(TE.fromEither(http.parseItemsBounds(query))),
    TE.bindW('found', ({ page }) => TE.flatMap(Items.collect)(ask(page))),
    TE.map(({ page, found: { items, more } }) => {
      const last = more ? items.at(-1) : undefined
      return { body: Envelope.dirContentJson(items), link: last && http.linkToNextPage(page, last.name) }
    }),
  )
const peeked = (value: TriggerValue.TriggerValue) => ({ body: Envelope.triggerPeakJson(value) })
const answers: Record<http.Route.Operation, Respond> = {
  storageTree: (token, path, query) => tree(query, (to) => operations.storageTree({ token, path }, to)(ports)),
  userContentTree: (user, path, query) => tree(query, (to) => operations.userContentTree({ user, path }, to)(ports)),
  storageDirItems: (token, path, query) =>
    listing(query, (page) => operations.storageDirItems({ token, path }, page)(ports)),
  userContentDirItems: (user, path, query) =>
    listing(query, (page) => operations.userContentDirItems({ user, path }, page)(ports)),
  triggerPeek: (id) => TE.map(peeked)(operations.triggerPeek({ id })(ports)),
}
export const app = new Hono()
for (const [name, route] of Object.entries(http.Route.routes))
  app.get(`${route.prefix}*`, async ({ req }) => {
    const { pathname, search } = new URL(req.url)
    const cached = { 'Cache-Control': http.Route.cacheControl[route.credential] }
    const { status, headers, body } = await pipe(
      TE.fromOption(() => http.HttpError.noSuchRoute)(
        http.Route.params(route, { path: pathname, query: search.slice(1) }),
      ),
      TE.flatMap(({ credential, path, query }) => answers[name as http.Route.Operation](credential, path, query)),
      TE.match(http.HttpError.toResponse, ({ body, link }) => ({ status: 200, body, headers: { ...cached, ...link } })),
    )()
    return new Response(body, { status, headers: { 'Content-Type': http.jsonType, ...http.everyResponse, ...headers } })
  })
