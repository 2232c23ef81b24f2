import { Name, Visibility } from '@canopy/domain'
import { parts } from '../observe/health/parts.js'
import * as ErrorName from './ErrorName.js'
import type { JsonObject } from './Json.js'
import { refTo } from './refTo.js'

const schema = (name: string, description: string): JsonObject => ({ ...refTo('schemas', name), description })

/** Every field but those of `optional` is required. */
const object = (fields: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: 'object',
  required: Object.keys(fields),
  properties: { ...fields, ...optional },
})

const constant = (value: string): JsonObject => ({ type: 'string', const: value })
const arrayOf = (name: string): JsonObject => ({ type: 'array', items: refTo('schemas', name) })

const integer: JsonObject = {
  type: 'integer',
  format: 'uint64',
  minimum: 0,
  maximum: 2n ** 64n - 1n,
  description:
    'An unsigned 64-bit integer, 0 to 18446744073709551615, exact to the last digit. Readers must not round it, as those do that hold numbers as doubles.',
}

const name: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: Name.maxBytes,
  pattern: '^(?!\\.{1,2}$)[^/\\u0000]+$',
  description: `The name of a node in its directory: 1 to ${Name.maxBytes} bytes of UTF-8, without "/" and NUL, neither "." nor "..". As it is stored: never normalised, never case-folded.`,
}

const size = schema('U64', 'In bytes; exact.')
const lastModified = schema('U64', 'Unix time in whole seconds, rounded down, at least 0; exact.')
const visibility = refTo('schemas', 'NodeVisibility')

/** The shapes of the interface, part 2, whose names stand for what the domain's codecs decode; and those of the probes. */
export const schemas: { readonly [name: string]: JsonObject } = {
  U64: integer,
  Name: name,
  DirectoryName: {
    type: 'string',
    maxLength: Name.maxBytes,
    pattern: '^(?!\\.{1,2}$)[^/\\u0000]*$',
    description: 'As `Name`; empty for the root of an area.',
  },
  Visibility: { type: 'string', enum: [...Visibility.all] },
  NodeVisibility: object({
    inherited: { type: 'boolean', description: 'True when the visibility comes from a parent directory.' },
    visibility: refTo('schemas', 'Visibility'),
  }),
  TreeNode: {
    description: 'A directory or a file.',
    oneOf: [refTo('schemas', 'DirectoryTreeNode'), refTo('schemas', 'FileTreeNode')],
    discriminator: {
      propertyName: 'type',
      mapping: { dir: '#/components/schemas/DirectoryTreeNode', file: '#/components/schemas/FileTreeNode' },
    },
  },
  DirectoryTreeNode: object(
    { type: constant('dir'), name: refTo('schemas', 'DirectoryName'), visibility },
    {
      content: {
        ...arrayOf('TreeNode'),
        description:
          'All children that the asker may see, in byte order of their names. Absent: not expanded, ask for this directory. Empty: nothing to see.',
      },
    },
  ),
  FileTreeNode: object({
    type: constant('file'),
    name: refTo('schemas', 'Name'),
    size,
    last_modified: lastModified,
    visibility,
  }),
  TreeEnvelope: object({ type: constant('tree'), content: refTo('schemas', 'TreeNode') }),
  DirectoryItem: object({
    visibility,
    is_file: { type: 'boolean', description: 'True for a file, false for a directory.' },
    name: refTo('schemas', 'Name'),
    last_modified: lastModified,
    size: schema('U64', 'In bytes, 0 for a directory; exact.'),
  }),
  DirContentEnvelope: object({ type: constant('dir content'), content: arrayOf('DirectoryItem') }),
  TriggerValue: {
    ...object({ type: { type: 'string' } }),
    additionalProperties: true,
    description: 'What the trigger holds, as it is stored: `type`, and whatever fields go with that type.',
  },
  TriggerPeakEnvelope: object({ type: constant('trigger peak'), value: refTo('schemas', 'TriggerValue') }),
  Health: object({ type: constant('health'), status: constant('ok') }),
  Ready: object({ type: constant('ready'), status: constant('ok') }),
  NotReady: {
    oneOf: [refTo('schemas', 'PartsFailed'), refTo('schemas', 'Draining')],
    discriminator: {
      propertyName: 'status',
      mapping: { failed: '#/components/schemas/PartsFailed', draining: '#/components/schemas/Draining' },
    },
  },
  PartsFailed: object({
    type: constant('ready'),
    status: constant('failed'),
    failed: {
      type: 'array',
      items: { type: 'string', enum: parts },
      minItems: 1,
      uniqueItems: true,
      description: 'The parts that did not answer in time, or answered that they do not work. Why is in the log alone.',
    },
  }),
  Draining: {
    ...object({ type: constant('ready'), status: constant('draining') }),
    description: 'The service was told to stop and finishes what it has begun.',
  },
  ErrorEnvelope: object({ type: constant('error'), error: { type: 'string', enum: ErrorName.all } }),
}
