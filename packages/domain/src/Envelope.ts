import * as t from 'io-ts'
import * as Failure from './Failure.js'
import * as Items from './Items.js'
import * as TreeNode from './TreeNode.js'
import type * as TriggerValue from './TriggerValue.js'

// The envelopes of docs/http-api.md. The codecs expect values from a lossless JSON parser; the functions encode, and write every u64
// in full.

/** `{"type":"tree","content":NODE}`, the body of both trees. */
export const treeCodec = t.readonly(t.type({ type: t.literal('tree'), content: TreeNode.codec }), 'TreeEnvelope')

/** `{"type":"dir content","content":[ITEM, ...]}`, the body of both listings. */
export const dirContentCodec = t.readonly(
  t.type({ type: t.literal('dir content'), content: t.readonlyArray(Items.codec) }),
  'DirContentEnvelope',
)

/** `{"type":"trigger peak","value":{"type":"...", ...}}`, the body of a peek. `peak` is the interface's spelling. */
export const triggerPeakCodec = t.readonly(
  t.type({ type: t.literal('trigger peak'), value: t.intersection([t.type({ type: t.string }), t.UnknownRecord]) }),
  'TriggerPeakEnvelope',
)

/** `{"type":"error","error":"file not found"}`, the body of a failure. */
export const errorCodec = t.readonly(t.type({ type: t.literal('error'), error: Failure.nameCodec }), 'ErrorEnvelope')

/** The text around the JSON of a tree. */
export const treeJsonHead = '{"type":"tree","content":'
export const treeJsonTail = '}'

/** Returns the body of a tree in memory. */
export const treeJson = (node: TreeNode.TreeNode): string => `${treeJsonHead}${TreeNode.json(node)}${treeJsonTail}`

/** The text around the JSON of the items, which are separated by commas. */
export const dirContentJsonHead = '{"type":"dir content","content":['
export const dirContentJsonTail = ']}'

/** Returns the body of a listing in memory. */
export const dirContentJson = (items: ReadonlyArray<Items.DirectoryItem>): string =>
  `${dirContentJsonHead}${items.map(Items.json).join(',')}${dirContentJsonTail}`

/** Returns the body of a peek, with the exact text of the trigger's value. */
export const triggerPeakJson = (value: TriggerValue.TriggerValue): string =>
  `{"type":"trigger peak","value":${value.json}}`

/** Returns the body of a failure: constant bytes for each name. */
export const errorJson = (name: string): string => `{"type":"error","error":${JSON.stringify(name)}}`
