import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Exchange, RequestState } from './Exchange.js'
import { askedOf } from './request/askedOf.js'
import * as RequestTarget from './request/RequestTarget.js'
import { routes } from './routes.js'

type RouteAsked = Pick<RequestState, 'route' | 'asked'>

const nothing: RouteAsked = {}

const byTarget = (target: RequestTarget.RequestTarget): RouteAsked =>
  pipe(
    routes,
    RA.findFirstMap((route) =>
      pipe(
        askedOf(route, target),
        O.map((asked): RouteAsked => ({ route, asked })),
      ),
    ),
    O.getOrElse(() => nothing),
  )

/** Its client left while it waited for its turn. */
const wasNeverBegun = ({ response, state }: Exchange): boolean =>
  state.route === undefined && state.target === undefined && !response.headersSent

/** What a request that is over has asked of which route. Of one that was never begun nobody has looked: its target says it. */
export const routeAsked = (exchange: Exchange): RouteAsked =>
  wasNeverBegun(exchange)
    ? pipe(
        RequestTarget.parse(exchange.request.url ?? ''),
        E.match(() => nothing, byTarget),
      )
    : exchange.state
