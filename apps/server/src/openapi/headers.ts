import type { Headers } from '../answer/Answer.js'
import { everyAnswer } from '../answer/everyAnswer.js'
import { encodings } from '../send/compress.js'
import type { JsonObject } from './Json.js'
import { requestId } from './parameters.js'
import { refTo } from './refTo.js'

const meanings: { readonly [name: string]: string } = {
  'Access-Control-Allow-Origin': 'Pages of any origin may read the answer.',
  'Access-Control-Expose-Headers': 'The headers that a page of another origin may read beside the usual ones.',
  'Access-Control-Allow-Methods': 'The methods that a page of another origin may ask with.',
  'Access-Control-Allow-Headers': 'A page of another origin may send any header.',
  'Access-Control-Max-Age': 'For how many seconds a browser need not ask for these permissions again.',
  'Referrer-Policy': 'A page that is reached from here is not told the URL, which may hold a secret.',
  'X-Content-Type-Options': 'Browsers take the body for what `Content-Type` says, and guess nothing.',
  'X-Robots-Tag': 'Search engines shall not keep the answer.',
  'Cache-Control': 'Who may keep the answer, and whether to ask before it is used again.',
  Allow: 'The methods there are.',
  'WWW-Authenticate': 'The token belongs in the path: this names that scheme.',
}

/** Headers of exactly these values. */
export const constants = (values: Headers): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { description: meanings[name] ?? '', required: true, schema: { type: 'string', const: value } },
    ]),
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
