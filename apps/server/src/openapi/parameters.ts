import { Name } from '@canopy/domain'
import { encodings } from '../send/compress.js'
import type { JsonObject } from './Json.js'

const secret = 'A secret: whoever knows it can read what it opens.'

const inPath = (name: string, schema: JsonObject, description: string, example: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
})

const optional = (place: 'query' | 'header', name: string, schema: JsonObject, description: string): JsonObject => ({
  name,
  in: place,
  required: false,
  description,
  schema,
})

export const requestId: JsonObject = { type: 'string', pattern: '^[A-Za-z0-9-]{8,128}$' }

export const parameters = {
  token: inPath(
    'token',
    { type: 'string', pattern: '^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' },
    `The access token that opens the area. ${secret} Any other text, and a token that is unknown, expired or revoked, is \`invalid token\`.`,
    `cnp_${'a'.repeat(42)}A`,
  ),
  userid: inPath(
    'userid',
    { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' },
    'The identifier of the user whose area it is: a number from 0 to 18446744073709551615 in decimal digits, without leading zeros. Text here, so that no reader rounds it. Anything else, and an unknown user, is `permission denied`.',
    '1',
  ),
  triggerid: inPath(
    'triggerid',
    { type: 'string', minLength: 1, maxLength: Name.maxBytes },
    `The identifier of the trigger, one percent-encoded segment. ${secret} An unknown one is \`trigger not found\`.`,
    'doorbell',
  ),
  path: inPath(
    'path',
    { type: 'string', minLength: 1 },
    'Where the node is, from the root of the area: any number of segments with a slash between them. Percent-encode each segment (decoded once, strictly), never the slashes. A segment that is empty, `.` or `..`, or longer than 255 bytes, and a path of over 4,096 bytes or 255 segments, is `file not found`. One trailing slash is allowed and means that the node must be a directory.',
    'photos',
  ),
  depth: optional(
    'query',
    'depth',
    { type: 'integer', minimum: 0 },
    'Levels of children; 0 is the node alone. Without it: all. At most once.',
  ),
  limit: optional(
    'query',
    'limit',
    { type: 'integer', minimum: 1 },
    'How many items at most. Without it: all. At most once.',
  ),
  after: optional(
    'query',
    'after',
    { type: 'string' },
    'Only items whose name follows this one in byte order. It need not exist. At most once.',
  ),
  'If-None-Match': optional(
    'header',
    'If-None-Match',
    { type: 'string' },
    'Entity tags that the client has: the answer is 304 when one of them is still right.',
  ),
  'Accept-Encoding': optional(
    'header',
    'Accept-Encoding',
    { type: 'string' },
    `Compressions that the client understands; the service knows ${encodings.join(' and ')}.`,
  ),
  'X-Request-Id': optional(
    'header',
    'X-Request-Id',
    requestId,
    'A name for this request, in the log and in the answer. Without one, with one of another form, or with one that may be a secret, the service gives it a name.',
  ),
  traceparent: optional(
    'header',
    'traceparent',
    { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$' },
    'The trace that the request is part of (W3C Trace Context). One of another form is ignored.',
  ),
} satisfies { readonly [name: string]: JsonObject }

export type ParameterName = keyof typeof parameters
