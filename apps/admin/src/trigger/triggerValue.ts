import { TriggerValue } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { parse } from 'lossless-json'
import { type Problem, wrongUsage } from '../Problem.js'

interface Fields {
  readonly type?: unknown
}

const isObject = (u: unknown): u is Fields => t.UnknownRecord.is(u) && !Array.isArray(u)

const parseObject = (json: string): E.Either<Problem, Fields> =>
  pipe(
    E.tryCatch(
      () => parse(json),
      (cause) => wrongUsage(`--value cannot be read as JSON in which each field stands once: ${causeOf(cause)}`),
    ),
    E.filterOrElse(isObject, () => wrongUsage('--value must be one JSON object, such as \'{"path":"/photos"}\'')),
  )

/** `{"type":TYPE` and, digit for digit, the fields of an object's own text. */
const withType = (type: string, fields: Fields, json: string): string => {
  const head = `{"type":${JSON.stringify(type)}`
  const rest = json.trim().slice(1)
  return Object.keys(fields).length === 0
    ? `${head}}`
    : Object.hasOwn(fields, 'type')
      ? json.trim()
      : `${head},${rest.trimStart()}`
}

/**
 * What a trigger of this type holds. The fields of `--value` are kept as they were typed: a number above 2^53, `1.0`
 * and `1e400` survive. Two fields of one name with different values are refused, and so is a `type` that contradicts `--type`.
 */
export const triggerValue = (type: string, json: string): E.Either<Problem, TriggerValue.TriggerValue> =>
  pipe(
    parseObject(json),
    E.filterOrElse(
      (fields) => !Object.hasOwn(fields, 'type') || fields.type === type,
      () => wrongUsage(`--value has a field "type" that is not ${JSON.stringify(type)}: leave it out, --type sets it`),
    ),
    E.flatMap((fields) =>
      pipe(
        TriggerValue.fromJson(withType(type, fields, json)),
        E.mapLeft((message) => wrongUsage(`--value: ${message}`)),
      ),
    ),
  )
