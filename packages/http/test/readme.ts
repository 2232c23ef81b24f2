import {
  type AreaOfUserEnv,
  Envelope,
  Items,
  type ListEnv,
  type NodeAtEnv,
  operations,
  type SettingsOfEnv,
} from '@canopy/domain'
import { everyResponse, HttpError, jsonType, linkToNextPage, parseItemsBounds, parseTarget, Route } from '@canopy/http'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type Ports = AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv

const route = Route.routes.userContentDirItems

const listing = (url: string, ports: Ports) =>
  pipe(
    TE.fromEither(parseTarget('')(url)),
    TE.flatMapOption(
      (target) => Route.params(route, target),
      () => HttpError.noSuchRoute,
    ),
    TE.bindTo('params'),
    TE.bindW('page', ({ params }) => TE.fromEither(parseItemsBounds(params.query))),
    TE.bindW('items', ({ params, page }) =>
      operations.userContentDirItems({ user: params.credential, path: params.path }, page)(ports),
    ),
    TE.bindW('collected', ({ items }) => Items.collect(items)),
  )

/** The response to the raw target of a GET, such as `/api/usercontent/v1/diritems/id/1/photos?limit=10`. */
export const respond = (url: string, ports: Ports) =>
  pipe(
    listing(url, ports),
    TE.match(HttpError.toResponse, ({ page, collected: { items, more } }) => {
      const last = items.at(-1)
      const link = more && last !== undefined ? linkToNextPage(page, last.name) : {}
      const headers = { 'Cache-Control': Route.cacheControl[route.credential], ...link }
      return { status: 200, headers, body: Envelope.dirContentJson(items) }
    }),
    T.map((response) => ({
      ...response,
      headers: { 'Content-Type': jsonType, ...everyResponse, ...response.headers },
    })),
  )
