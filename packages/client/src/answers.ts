import { CanopyError, type Failure } from './failures.js'
import { type Json, type JsonObject, type JsonValue, readExact, readJson, readU64 } from './json.js'
import { isName } from './paths.js'
import type { Received } from './request.js'

/** Who may see a node. */
export type Visibility = 'public' | 'hidden' | 'private'

/** The visibility of a node, and whether it comes from a parent directory. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility
}

/** A node of a tree. `type` separates files from directories, and `'content' in node` is true for an expanded directory alone. */
export type TreeNode = TreeFile | ExpandedDirectory | UnexpandedDirectory

export interface TreeFile {
  readonly type: 'file'
  readonly name: string
  /** In bytes. */
  readonly size: bigint
  /** Unix time in seconds. */
  readonly last_modified: bigint
  readonly visibility: NodeVisibility
}

/** A directory without `content`: beyond `depth` or the server's node budget, or unreadable. Ask for it by its path. */
export interface UnexpandedDirectory {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: string
  readonly visibility: NodeVisibility
}

/** A directory with all its children that the caller may see. */
export interface ExpandedDirectory extends UnexpandedDirectory {
  readonly content: ReadonlyArray<TreeNode>
}

/** A file or directory of a listing. */
export interface DirectoryItem {
  readonly visibility: NodeVisibility
  readonly is_file: boolean
  readonly name: string
  /** Unix time in seconds. */
  readonly last_modified: bigint
  /** In bytes; 0 for a directory. */
  readonly size: bigint
}

/** What a trigger holds. */
export interface PeekedTrigger {
  readonly type: string
  /** The whole value as JSON text, character by character as it came. */
  readonly json: string
  /** The same, parsed. An integer beyond 2^53 is a bigint. */
  readonly value: JsonObject
}

export const malformedAnswer = (at: string): never => {
  throw new CanopyError({ error: 'malformed answer', at })
}

const jsonIn = ({ bytes }: Received, readNumber: Parameters<typeof readJson>[1]): Json => {
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), readNumber)
  } catch {
    return malformedAnswer('body')
  }
}

// Each reader takes a value and where it is in the answer, and throws when it is wrong. Unknown fields are dropped.

type Read<A> = (value: JsonValue | undefined, at: string) => A

const reader =
  <A extends JsonValue>(is: (value: JsonValue | undefined) => value is A): Read<A> =>
  (value, at) =>
    is(value) ? value : malformedAnswer(at)

const string = reader((value) => typeof value === 'string')
const boolean = reader((value) => typeof value === 'boolean')
const u64 = reader((value): value is bigint => typeof value === 'bigint' && value < 2n ** 64n)
const name = reader(isName)
const rootName = reader((value): value is string => value === '' || isName(value))
const visibility = reader((value) => value === 'public' || value === 'hidden' || value === 'private')
const object = reader(
  (value): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const constant =
  (wanted: string): Read<void> =>
  (value, at) => {
    if (value !== wanted) malformedAnswer(at)
  }

const field = <A>(fields: JsonObject, key: string, read: Read<A>, at: string): A =>
  read(fields[key], at === 'body' ? key : `${at}.${key}`)

const arrayOf =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, at) =>
    Array.isArray(value) ? value.map((each, index) => read(each, `${at}.${index}`)) : malformedAnswer(at)

const nodeVisibility: Read<NodeVisibility> = (value, at) => {
  const fields = object(value, at)
  return {
    inherited: field(fields, 'inherited', boolean, at),
    visibility: field(fields, 'visibility', visibility, at),
  }
}

const item: Read<DirectoryItem> = (value, at) => {
  const fields = object(value, at)
  return {
    visibility: field(fields, 'visibility', nodeVisibility, at),
    is_file: field(fields, 'is_file', boolean, at),
    name: field(fields, 'name', name, at),
    last_modified: field(fields, 'last_modified', u64, at),
    size: field(fields, 'size', u64, at),
  }
}

/** Only the node that was asked for can be the root of an area, whose name is empty. */
const node =
  (readName: Read<string>): Read<TreeNode> =>
  (value, at) => {
    const fields = object(value, at)
    if (fields['type'] === 'file')
      return {
        type: 'file',
        name: field(fields, 'name', name, at),
        size: field(fields, 'size', u64, at),
        last_modified: field(fields, 'last_modified', u64, at),
        visibility: field(fields, 'visibility', nodeVisibility, at),
      }
    field(fields, 'type', constant('dir'), at)
    return {
      type: 'dir',
      name: field(fields, 'name', readName, at),
      visibility: field(fields, 'visibility', nodeVisibility, at),
      ...('content' in fields ? { content: field(fields, 'content', children, at) } : {}),
    }
  }

const children = arrayOf(node(name))
const items = arrayOf(item)

const envelope = (json: JsonValue, type: string): JsonObject => {
  const fields = object(json, 'body')
  field(fields, 'type', constant(type), 'body')
  return fields
}

export const readTree = (received: Received): TreeNode =>
  field(envelope(jsonIn(received, readU64).json, 'tree'), 'content', node(rootName), 'body')

export const readItems = (received: Received): ReadonlyArray<DirectoryItem> =>
  field(envelope(jsonIn(received, readU64).json, 'dir content'), 'content', items, 'body')

export const readTrigger = (received: Received): PeekedTrigger => {
  const { json, textOf } = jsonIn(received, readExact)
  // `peak` is the interface's spelling.
  const value = field(envelope(json, 'trigger peak'), 'value', object, 'body')
  return { type: field(value, 'type', string, 'value'), json: textOf('value'), value }
}

// The columns of the interface, part 7.

export const storageNames = [
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
] as const
export const userContentNames = ['permission denied', 'file not found', 'type mismatch', 'external'] as const
export const triggerNames = ['trigger not found', 'external'] as const

const statusOf = {
  'invalid token': [401],
  'not verified': [403],
  'permission denied': [403],
  'file not found': [404],
  'type mismatch': [409],
  external: [502],
  'trigger not found': [404],
  'bad request': [400, 408, 431],
  'too many requests': [429],
  overloaded: [503],
} satisfies { readonly [Name in Failure['error']]?: ReadonlyArray<number> }

const errorNames = Object.keys(statusOf) as ReadonlyArray<keyof typeof statusOf>

const parameters = ['depth', 'limit', 'after'] as const

/** An error's envelope, or nothing for any other body. */
const errorIn = (received: Received): JsonObject => {
  try {
    return envelope(jsonIn(received, readExact).json, 'error')
  } catch {
    return {}
  }
}

/**
 * The failure that an answer other than 200 means to an operation with these names. A name counts only with its own
 * status, and other text of the answer is dropped: it could repeat a secret.
 */
export const failureIn = (received: Received, names: ReadonlyArray<string>): Failure => {
  const { error, parameter } = errorIn(received)
  const { status, retryAfter } = received
  const known = errorNames.find((each) => each === error && statusOf[each].includes(status))
  if (known === 'bad request') return { error: known, parameter: parameters.find((each) => each === parameter) }
  if (known === 'too many requests' || known === 'overloaded') return { error: known, retryAfter }
  return known !== undefined && names.includes(known) ? { error: known } : { error: 'unexpected answer', status }
}
