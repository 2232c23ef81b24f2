import { CanopyError, type Failure } from './failures.js'
import { type JsonObject, type JsonValue, type ParsedJson, parseExactInteger, parseJson, parseU64 } from './json.js'
import type { HttpResponse } from './request.js'
import { isName } from './targets.js'

export const visibilities = ['public', 'hidden', 'private'] as const

export type Visibility = (typeof visibilities)[number]

/** The visibility of a node, and whether it comes from a parent directory. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility
}

/** A node of a tree. `type` distinguishes files from directories; `'content' in node` is true for expanded directories only. */
export type TreeNode = TreeFile | ExpandedDirectory | UnexpandedDirectory

interface NodeFacts {
  /** In bytes; 0 for a directory. */
  readonly size: bigint
  /** Unix time in seconds. */
  readonly last_modified: bigint
  readonly visibility: NodeVisibility
}

export interface TreeFile extends NodeFacts {
  readonly type: 'file'
  readonly name: string
}

/** A directory that the server did not expand: too deep, over its node budget, or unreadable. Request its path to see it. */
export interface UnexpandedDirectory {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: string
  readonly visibility: NodeVisibility
}

/** A directory with all its children that the client may see. */
export interface ExpandedDirectory extends UnexpandedDirectory {
  readonly content: ReadonlyArray<TreeNode>
}

/** A file or directory of a listing. */
export interface DirectoryItem extends NodeFacts {
  readonly is_file: boolean
  readonly name: string
}

/** A node of a walk. */
export interface WalkedNode extends NodeFacts {
  readonly type: 'dir' | 'file'
  /** From the root of the area, `/` for the root. Not percent-encoded. */
  readonly path: string
  /** Set on a directory whose children are not in the walk: it is at the requested depth, or the server cannot read it. */
  readonly expanded?: false
}

/** A line of a walk: a node, the end, the path after which the next response continues, or how far the service has come. */
export type WalkLine = WalkedNode | { readonly type: 'end' } | { readonly type: 'next' | 'at'; readonly path: string }

/** The value of a trigger. */
export interface PeekedTrigger {
  readonly type: string
  /** The whole value as JSON text, unchanged. */
  readonly json: string
  /** `json`, parsed. An integer beyond 2^53 is a bigint. */
  readonly value: JsonObject
}

export const throwMalformed = (part: string): never => {
  throw new CanopyError({ error: 'malformed response', part })
}

export const orMalformed = <A>(read: () => A, part: string): A => {
  try {
    return read()
  } catch {
    return throwMalformed(part)
  }
}

const parseBody = ({ body }: HttpResponse, parseNumber: Parameters<typeof parseJson>[1]): ParsedJson =>
  orMalformed(
    () => parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), parseNumber),
    'body',
  )

/** Checks a value and drops unknown fields. Throws a CanopyError with the value's path in the body. */
type Decoder<A> = (value: JsonValue | undefined, path: string) => A

const decoder =
  <A extends JsonValue>(is: (value: JsonValue | undefined) => value is A): Decoder<A> =>
  (value, path) =>
    is(value) ? value : throwMalformed(path)

const string = decoder((value) => typeof value === 'string')
const boolean = decoder((value) => typeof value === 'boolean')
const u64 = decoder((value): value is bigint => typeof value === 'bigint' && value < 2n ** 64n)
const name = decoder(isName)
const treePath = decoder(
  (value): value is string =>
    typeof value === 'string' && (value === '/' || (value.startsWith('/') && value.slice(1).split('/').every(isName))),
)
const rootName = decoder((value): value is string => value === '' || isName(value))
const visibility = decoder((value): value is Visibility => visibilities.some((known) => known === value))
const object = decoder(
  (value): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const constant =
  (expected: string): Decoder<void> =>
  (value, path) => {
    if (value !== expected) throwMalformed(path)
  }

const field = <A>(fields: JsonObject, key: string, decode: Decoder<A>, path: string): A =>
  decode(fields[key], path === 'body' ? key : `${path}.${key}`)

const arrayOf =
  <A>(decode: Decoder<A>): Decoder<ReadonlyArray<A>> =>
  (value, path) =>
    Array.isArray(value) ? value.map((each, index) => decode(each, `${path}.${index}`)) : throwMalformed(path)

const nodeVisibility: Decoder<NodeVisibility> = (value, path) => {
  const fields = object(value, path)
  return {
    inherited: field(fields, 'inherited', boolean, path),
    visibility: field(fields, 'visibility', visibility, path),
  }
}

const item: Decoder<DirectoryItem> = (value, path) => {
  const fields = object(value, path)
  return {
    visibility: field(fields, 'visibility', nodeVisibility, path),
    is_file: field(fields, 'is_file', boolean, path),
    name: field(fields, 'name', name, path),
    last_modified: field(fields, 'last_modified', u64, path),
    size: field(fields, 'size', u64, path),
  }
}

const nodeFacts = (fields: JsonObject, path: string): NodeFacts => ({
  size: field(fields, 'size', u64, path),
  last_modified: field(fields, 'last_modified', u64, path),
  visibility: field(fields, 'visibility', nodeVisibility, path),
})

/** Only the requested node can be the root of an area, whose name is empty. */
const node =
  (decodeName: Decoder<string>): Decoder<TreeNode> =>
  (value, path) => {
    const fields = object(value, path)
    if (fields['type'] === 'file')
      return {
        type: 'file',
        name: field(fields, 'name', name, path),
        ...nodeFacts(fields, path),
      }
    field(fields, 'type', constant('dir'), path)
    return {
      type: 'dir',
      name: field(fields, 'name', decodeName, path),
      visibility: field(fields, 'visibility', nodeVisibility, path),
      ...('content' in fields ? { content: field(fields, 'content', children, path) } : {}),
    }
  }

const children = arrayOf(node(name))
const items = arrayOf(item)

const envelope = (value: JsonValue, type: string): JsonObject => {
  const fields = object(value, 'body')
  field(fields, 'type', constant(type), 'body')
  return fields
}

export const decodeTree = (response: HttpResponse): TreeNode =>
  field(envelope(parseBody(response, parseU64).value, 'tree'), 'content', node(rootName), 'body')

export const decodeLine = (text: string): WalkLine => {
  const fields = object(orMalformed(() => parseJson(text, parseU64), 'line').value, 'line')
  const { type } = fields
  if (type === 'end') return { type }
  if (type === 'next') return { type, path: field(fields, 'after', treePath, 'line') }
  if (type !== 'at' && type !== 'dir' && type !== 'file') return throwMalformed('line.type')
  const path = field(fields, 'path', treePath, 'line')
  if (type === 'at') return { type, path }
  return { type, path, ...nodeFacts(fields, 'line'), ...(fields['expanded'] === false ? { expanded: false } : {}) }
}

export const decodeItems = (response: HttpResponse): ReadonlyArray<DirectoryItem> =>
  field(envelope(parseBody(response, parseU64).value, 'dir content'), 'content', items, 'body')

export const decodeTrigger = (response: HttpResponse): PeekedTrigger => {
  const json = parseBody(response, parseExactInteger)
  // The interface spells it `peak`.
  const value = field(envelope(json.value, 'trigger peak'), 'value', object, 'body')
  return { type: field(value, 'type', string, 'value'), json: json.sourceOf('value'), value }
}

/** Returns the fields of an error envelope; empty for any other body. */
const decodeError = (response: HttpResponse): JsonObject => {
  try {
    return envelope(parseBody(response, parseExactInteger).value, 'error')
  } catch {
    return {}
  }
}

const statuses = {
  'invalid token': [401],
  'not verified': [403],
  'permission denied': [403],
  'file not found': [404],
  'type mismatch': [409],
  external: [502],
  'trigger not found': [404],
  'too large': [413],
  'bad request': [400, 408, 416, 431],
  'too many requests': [429],
  overloaded: [503],
} satisfies { readonly [Name in Failure['error']]?: ReadonlyArray<number> }

const errorNames = Object.keys(statuses) as ReadonlyArray<keyof typeof statuses>

const parameters = ['depth', 'limit', 'after', 'name'] as const

/**
 * Decodes a response other than 200 to an operation with these error names. An error name is accepted only with its documented
 * status. The rest of the body is dropped, because it may contain a secret.
 */
export const decodeFailure = (response: HttpResponse, names: ReadonlyArray<string>): Failure => {
  const { error: sent, parameter } = decodeError(response)
  const { status, retryAfter } = response
  const error = errorNames.find((name) => name === sent && statuses[name].includes(status))
  if (error === 'bad request') return { error, parameter: parameters.find((name) => name === parameter) }
  if (error === 'too many requests' || error === 'overloaded') return { error, retryAfter }
  return error !== undefined && names.includes(error) ? { error } : { error: 'unexpected response', status }
}
