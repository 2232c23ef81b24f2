import * as t from 'io-ts'
import * as Failure from './Failure.js'
import * as Items from './Items.js'
import * as TreeNode from './TreeNode.js'
import type * as TriggerValue from './TriggerValue.js'

// The JSON around every answer (interface, part 2), in the interface's own spelling. The codecs decode what a JSON reader
// gives that keeps every digit; to write, use the functions, which write every u64 in full.

/** `{"type":"tree","content":NODE}`: the answer of both trees. */
export const treeCodec = t.readonly(t.type({ type: t.literal('tree'), content: TreeNode.codec }), 'TreeEnvelope')

/** `{"type":"dir content","content":[ITEM, ...]}`: the answer of both listings. */
export const dirContentCodec = t.readonly(
  t.type({ type: t.literal('dir content'), content: t.readonlyArray(Items.codec) }),
  'DirContentEnvelope',
)

/** `{"type":"trigger peak","value":{"type":"...", ...}}`: the answer of a peek. `peak` is the interface's spelling. */
export const triggerPeakCodec = t.readonly(
  t.type({ type: t.literal('trigger peak'), value: t.intersection([t.type({ type: t.string }), t.UnknownRecord]) }),
  'TriggerPeakEnvelope',
)

/** `{"type":"error","error":"file not found"}`: the answer of an operation that fails, with a name of part 7. */
export const errorCodec = t.readonly(t.type({ type: t.literal('error'), error: Failure.nameCodec }), 'ErrorEnvelope')

/** A tree's JSON is between these two. */
export const treeJsonHead = '{"type":"tree","content":'
export const treeJsonTail = '}'

/** The answer of a tree that is whole in memory. */
export const treeJson = (node: TreeNode.TreeNode): string => `${treeJsonHead}${TreeNode.json(node)}${treeJsonTail}`

/** The JSON of items, with commas between, is between these two. */
export const dirContentJsonHead = '{"type":"dir content","content":['
export const dirContentJsonTail = ']}'

/** The answer of a listing whose items are all in memory. */
export const dirContentJson = (items: ReadonlyArray<Items.DirectoryItem>): string =>
  `${dirContentJsonHead}${items.map(Items.json).join(',')}${dirContentJsonTail}`

/** The answer of a peek: what the trigger holds, character by character. */
export const triggerPeakJson = (value: TriggerValue.TriggerValue): string =>
  `{"type":"trigger peak","value":${value.json}}`

/** The answer of a failure, by its name. Constant bytes for each name. */
export const errorJson = (name: string): string => `{"type":"error","error":${JSON.stringify(name)}}`
