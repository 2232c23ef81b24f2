import * as t from 'io-ts'
import * as DirectoryItem from './DirectoryItem.js'
import * as Failure from './Failure.js'
import * as TreeNode from './TreeNode.js'
import type * as TriggerValue from './TriggerValue.js'

/** The JSON around every answer (interface, part 2), in the interface's own spelling. */
export const treeCodec = t.readonly(t.type({ type: t.literal('tree'), content: TreeNode.codec }), 'TreeEnvelope')

export const dirContentCodec = t.readonly(
  t.type({ type: t.literal('dir content'), content: t.readonlyArray(DirectoryItem.codec) }),
  'DirContentEnvelope',
)

export const triggerPeakCodec = t.readonly(
  t.type({ type: t.literal('trigger peak'), value: t.intersection([t.type({ type: t.string }), t.UnknownRecord]) }),
  'TriggerPeakEnvelope',
)

export const errorCodec = t.readonly(t.type({ type: t.literal('error'), error: Failure.nameCodec }), 'ErrorEnvelope')

/** A tree's JSON stands between these two. */
export const treeJsonHead = '{"type":"tree","content":'
export const treeJsonTail = '}'

export const treeJson = (node: TreeNode.TreeNode): string => `${treeJsonHead}${TreeNode.json(node)}${treeJsonTail}`

/** The JSON of items, with commas between, stands between these two. */
export const dirContentJsonHead = '{"type":"dir content","content":['
export const dirContentJsonTail = ']}'

export const dirContentJson = (items: ReadonlyArray<DirectoryItem.DirectoryItem>): string =>
  `${dirContentJsonHead}${items.map(DirectoryItem.json).join(',')}${dirContentJsonTail}`

export const triggerPeakJson = (value: TriggerValue.TriggerValue): string =>
  `{"type":"trigger peak","value":${value.json}}`

/** Constant bytes for each name. */
export const errorJson = (name: string): string => `{"type":"error","error":${JSON.stringify(name)}}`
