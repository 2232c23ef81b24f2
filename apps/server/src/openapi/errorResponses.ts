import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as NEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import { allow } from '../answer/refusalAnswer.js'
import type { RefusalName } from '../Refusal.js'
import type { Route } from '../Route.js'
import { failuresOf } from './columns.js'
import * as ErrorName from './ErrorName.js'
import { constants, inEveryAnswer, named } from './headers.js'
import type { JsonObject } from './Json.js'
import { refTo } from './refTo.js'

export type Names = NEA.ReadonlyNonEmptyArray<RefusalName>

const camelCase = (name: string): string => name.replaceAll(/(^| )./g, (start) => start.trim().toUpperCase())

const keyOf = (names: Names): string => names.map(camelCase).join('Or')

const bodilessKeyOf = (names: Names): string => `${keyOf(names)}Bodiless`

/** Each error has the headers of the others that share its status: none of them tells which it is. */
const headersOf = (names: Names): JsonObject => {
  const { 'Retry-After': retryAfter, ...others } = ErrorName.headersOf(NEA.head(names))
  return { ...inEveryAnswer, ...constants(others), ...(retryAfter === undefined ? {} : named(['Retry-After'])) }
}

const bodiless = (names: Names): JsonObject => ({
  description: names.map((name) => `\`${name}\`: ${ErrorName.meaningOf(name)}`).join('\n\n'),
  headers: headersOf(names),
})

const response = (names: Names): JsonObject => ({
  ...bodiless(names),
  content: {
    'application/json': {
      schema: {
        allOf: [
          refTo('schemas', 'ErrorEnvelope'),
          { type: 'object', properties: { error: { type: 'string', enum: names } } },
        ],
      },
      examples: Object.fromEntries(names.map((name) => [camelCase(name), { value: { type: 'error', error: name } }])),
    },
  },
})

export const byStatus = (names: ReadonlyArray<RefusalName>): RR.ReadonlyRecord<string, Names> =>
  pipe(
    names,
    NEA.groupBy((name) => `${ErrorName.statusOf(name)}`),
  )

/** Node's parser gives up with these before there is a request. */
export const unread: RR.ReadonlyRecord<string, Names> = {
  ...byStatus(['bad request']),
  408: ['bad request'],
  431: ['bad request'],
}

/** Whatever is asked, but for probes: no load refuses those. */
export const general: RR.ReadonlyRecord<string, Names> = { ...unread, ...byStatus(['overloaded']) }

type FailuresOf = typeof failuresOf

const ofRoute = ({ operation, secret }: Route, failures: FailuresOf): RR.ReadonlyRecord<string, Names> => ({
  ...general,
  // Only where a secret can be guessed.
  ...(O.isSome(secret) ? byStatus(['too many requests']) : {}),
  ...byStatus(failures(operation)),
})

const refs = (responses: RR.ReadonlyRecord<string, Names>, key: (names: Names) => string): JsonObject =>
  pipe(
    responses,
    RR.map((names) => refTo('responses', key(names))),
  )

/** By status, as references to {@link errorResponses}. */
export const errorsOf = (route: Route, failures: FailuresOf): JsonObject => refs(ofRoute(route, failures), keyOf)
export const errorsOfOptions: JsonObject = refs(general, keyOf)
export const errorsOfProbe: JsonObject = refs(unread, keyOf)

/** HEAD has the errors of GET, without their bodies. */
export const errorsOfHead = (route: Route, failures: FailuresOf): JsonObject =>
  refs(ofRoute(route, failures), bodilessKeyOf)
export const errorsOfProbeHead: JsonObject = refs(unread, bodilessKeyOf)

/** One, and one without a body, for each set of names that share a status somewhere. */
export const errorResponses = (routes: ReadonlyArray<Route>): JsonObject =>
  Object.fromEntries(
    routes
      .flatMap((route) => Object.values(ofRoute(route, failuresOf)))
      .flatMap((names) => [
        [keyOf(names), response(names)],
        [bodilessKeyOf(names), bodiless(names)],
      ]),
  )

const allowing =
  (methods: string) =>
  (names: Names): JsonObject => ({
    ...response(names),
    headers: { ...headersOf(names), ...constants({ Allow: methods }) },
  })

/** What is answered where only these methods are. */
export const otherMethods = (errors: JsonObject, methods: string): JsonObject => ({
  ...errors,
  ...pipe(byStatus(['method not allowed']), RR.map(allowing(methods))),
})

/** OpenAPI has no place for what is answered to every other method, and to every other path. */
export const errorsOutside: JsonObject = {
  'x-other-methods': otherMethods(errorsOfOptions, allow),
  'x-other-paths': { ...errorsOfOptions, ...pipe(byStatus(['no such route']), RR.map(response)) },
}
