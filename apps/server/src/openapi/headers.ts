import type { Headers } from '../answer/Answer.js'
import { everyAnswer } from '../answer/everyAnswer.js'
import { encodings } from '../send/compress.js'
import type { JsonObject } from './Json.js'
import { requestId } from './parameters.js'
import { refTo } from './refTo.js'

/** Headers of exactly these values. */
export const constants = (values: Headers): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { required: true, schema: { type: 'string', const: value } }]),
  )

const varying: { readonly [name: string]: JsonObject } = {
  ETag: {
    description:
      'The entity tag, for `If-None-Match`; the same for every compression. Absent from a tree so large that it is streamed.',
    schema: { type: 'string', pattern: '^W/"[A-Za-z0-9_-]+"$' },
  },
  Link: {
    description:
      "The next page, where there is one. Relative to the request's own URL, so that no token is repeated: resolve it against that URL.",
    schema: { type: 'string', pattern: '^<\\?(limit=[0-9]+&)?after=[^>]+>; rel="next"$' },
    example: '<?limit=2&after=odd>; rel="next"',
  },
  'Retry-After': {
    description: 'Whole seconds after which asking again makes sense.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Request-Id': {
    description: "The request's name in the log: the one it came with, or one that the service gave it.",
    schema: requestId,
  },
  Vary: {
    description: 'Where the answer is one that may be compressed.',
    schema: { type: 'string', const: 'Accept-Encoding' },
  },
  'Content-Encoding': {
    description: 'How the body is compressed, where it is.',
    schema: { type: 'string', enum: encodings },
  },
}

export const headers: JsonObject = { ...varying, ...constants(everyAnswer) }

export const named = (names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]))

/** Those of every answer, whatever it is. */
export const inEveryAnswer: JsonObject = named([
  ...Object.keys(everyAnswer),
  'X-Request-Id',
  'Vary',
  'Content-Encoding',
])
