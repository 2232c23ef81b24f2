import { pipe } from 'fp-ts/lib/function.js'
import * as NEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import { failuresOf, type Operation } from './columns.js'
import * as ErrorName from './ErrorName.js'
import { constants, inEveryAnswer, named } from './headers.js'
import type { JsonObject } from './Json.js'
import { refTo } from './refTo.js'

type Names = NEA.ReadonlyNonEmptyArray<ErrorName.ErrorName>

const camelCase = (name: string): string => name.replaceAll(/(^| )./g, (start) => start.trim().toUpperCase())

const keyOf = (names: Names): string => names.map(camelCase).join('Or')

const bodilessKeyOf = (names: Names): string => `${keyOf(names)}Bodiless`

const bodiless = (names: Names): JsonObject => ({
  description: names.map((name) => `\`${name}\`: ${ErrorName.meaningOf(name)}`).join('\n\n'),
  headers: {
    ...inEveryAnswer,
    ...Object.assign({}, ...names.map((name) => constants(ErrorName.headersOf(name)))),
    ...(names.some(ErrorName.isBrake) ? named(['Retry-After']) : {}),
  },
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

const byStatus = (names: ReadonlyArray<ErrorName.ErrorName>): RR.ReadonlyRecord<string, Names> =>
  pipe(
    names,
    NEA.groupBy((name) => `${ErrorName.statusOf(name)}`),
  )

/** Whatever the operation. Node's parser gives up with 408 and 431 before there is a request. */
const general: RR.ReadonlyRecord<string, Names> = {
  ...byStatus(['bad request', 'too many requests', 'overloaded']),
  408: ['bad request'],
  431: ['bad request'],
}

const ofOperation = (operation: Operation): RR.ReadonlyRecord<string, Names> => ({
  ...general,
  ...byStatus(failuresOf(operation)),
})

const refs = (responses: RR.ReadonlyRecord<string, Names>, key: (names: Names) => string): JsonObject =>
  pipe(
    responses,
    RR.map((names) => refTo('responses', key(names))),
  )

/** By status, as references to {@link errorResponses}. */
export const errorsOf = (operation: Operation): JsonObject => refs(ofOperation(operation), keyOf)
export const errorsOfOptions: JsonObject = refs(general, keyOf)

/** HEAD has the errors of GET, without their bodies. */
export const errorsOfHead = (operation: Operation): JsonObject => refs(ofOperation(operation), bodilessKeyOf)

/** One, and one without a body, for each set of names that share a status somewhere. */
export const errorResponses = (operations: ReadonlyArray<Operation>): JsonObject =>
  Object.fromEntries(
    operations
      .flatMap((operation) => Object.values(ofOperation(operation)))
      .flatMap((names) => [
        [keyOf(names), response(names)],
        [bodilessKeyOf(names), bodiless(names)],
      ]),
  )

/** OpenAPI has no place for what is answered to every other method, and to every other path. */
export const errorsOutside: JsonObject = {
  'x-other-methods': { ...errorsOfOptions, ...pipe(byStatus(['method not allowed']), RR.map(response)) },
  'x-other-paths': { ...errorsOfOptions, ...pipe(byStatus(['no such route']), RR.map(response)) },
}
