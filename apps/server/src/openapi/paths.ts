import { optionsAnswer } from '../answer/optionsAnswer.js'
import type { Route } from '../Route.js'
import { failuresOf, failuresOfRoot } from './columns.js'
import { type Described, described } from './described.js'
import { errorsOf, errorsOfHead, errorsOfOptions } from './errorResponses.js'
import { examples } from './examples.js'
import { constants, inEveryAnswer, named } from './headers.js'
import type { JsonObject } from './Json.js'
import type { ParameterName } from './parameters.js'
import { refTo } from './refTo.js'

const parameters = (names: ReadonlyArray<ParameterName>): ReadonlyArray<JsonObject> =>
  names.map((name) => refTo('parameters', name))

const ofEveryRequest: ReadonlyArray<ParameterName> = ['Accept-Encoding', 'X-Request-Id', 'traceparent']

const headersOf = ({ cacheControl, headers }: Described): JsonObject => ({
  ...inEveryAnswer,
  ...constants({ 'Cache-Control': cacheControl }),
  ...named(headers),
})

const hasTag = ({ headers }: Described): boolean => headers.includes('ETag')

const json = (route: Route, is: Described): JsonObject => ({
  'application/json': { schema: refTo('schemas', is.success), examples: examples[route.operation] },
})

const successes = (is: Described, content: JsonObject): JsonObject => ({
  200: { description: 'Success.', headers: headersOf(is), ...content },
  ...(hasTag(is)
    ? { 304: { description: 'What `If-None-Match` names is still right. No body.', headers: headersOf(is) } }
    : {}),
})

/** Where a path may be absent, its absence is a path of its own in OpenAPI. */
interface Place {
  readonly path: string
  readonly parameters: ReadonlyArray<ParameterName>
  /** Makes an operation's id and summary its own. */
  readonly id: string
  readonly where: string
  readonly failures: typeof failuresOf
}

const asked = (is: Described, place: Place): ReadonlyArray<JsonObject> =>
  parameters([...place.parameters, ...is.query, ...(hasTag(is) ? (['If-None-Match'] as const) : []), ...ofEveryRequest])

const placesOf = (route: Route): ReadonlyArray<Place> => {
  const { credential } = described[route.operation]
  const bare = {
    path: `${route.prefix}{${credential}}`,
    parameters: [credential],
    id: '',
    where: '',
    failures: failuresOf,
  }
  return route.takesPath
    ? [
        { ...bare, id: 'OfRoot', where: ' (the root)', failures: failuresOfRoot },
        { ...bare, path: `${bare.path}/{path}`, parameters: [credential, 'path'] },
      ]
    : [bare]
}

const pathItem = (route: Route, place: Place): JsonObject => {
  const is = described[route.operation]
  const id = route.operation + place.id
  return {
    get: {
      operationId: id,
      tags: [is.tag],
      summary: is.summary + place.where,
      description: is.description,
      parameters: asked(is, place),
      responses: { ...successes(is, { content: json(route, is) }), ...errorsOf(route, place.failures) },
    },
    head: {
      operationId: `${id}Head`,
      tags: ['methods'],
      summary: `Headers: ${is.summary}${place.where}`,
      description: 'Status and headers of GET, without its body.',
      parameters: asked(is, place),
      responses: { ...successes(is, {}), ...errorsOfHead(route, place.failures) },
    },
    options: {
      operationId: `${id}Options`,
      tags: ['methods'],
      summary: `Methods: ${is.summary}${place.where}`,
      description: "The methods there are; the answer to a browser's preflight. Nothing is looked up.",
      parameters: parameters([...place.parameters, ...ofEveryRequest]),
      responses: {
        204: {
          description: 'The methods there are. No body.',
          headers: { ...inEveryAnswer, ...constants(optionsAnswer.headers) },
        },
        ...errorsOfOptions,
      },
    },
  }
}

/** The rows of the service's own table. */
export const paths = (routes: ReadonlyArray<Route>): JsonObject =>
  Object.fromEntries(
    routes.flatMap((route) => placesOf(route).map((place) => [place.path, pathItem(route, place)] as const)),
  )
