import * as O from 'fp-ts/lib/Option.js'
import type { Asked, Route } from '../Route.js'
import type { RequestTarget } from './RequestTarget.js'

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
