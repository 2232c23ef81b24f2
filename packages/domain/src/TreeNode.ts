import * as t from 'io-ts'
import * as Name from './Name.js'
import * as U64 from './U64.js'
import * as Visibility from './Visibility.js'

/** One node of a tree: `NODE` in docs/http-api.md. */
export type TreeNode = FileTreeNode | DirectoryTreeNode

export interface FileTreeNode {
  readonly type: 'file'
  readonly name: Name.Name
  /** In bytes. */
  readonly size: U64.U64
  /** Unix time in seconds. */
  readonly last_modified: U64.U64
  readonly visibility: Visibility.NodeVisibility
}

export interface DirectoryTreeNode {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: Name.Name | ''
  readonly visibility: Visibility.NodeVisibility
  /** All children that the client may see. Absent in a directory that is not expanded. */
  readonly content?: ReadonlyArray<TreeNode>
}

/** Drops unknown fields, and `content` of a file. */
export const fileCodec: t.Type<FileTreeNode, unknown, unknown> = t.readonly(
  t.strict({
    type: t.literal('file'),
    name: Name.codec,
    size: U64.codec,
    last_modified: U64.codec,
    visibility: Visibility.nodeCodec,
  }),
  'FileTreeNode',
)

type NameCodec = t.Type<DirectoryTreeNode['name'], string, unknown>

const nodeCodec = (directoryName: NameCodec): t.Type<TreeNode, unknown, unknown> =>
  t.union([
    fileCodec,
    t.readonly(
      t.exact(
        t.intersection([
          t.type({ type: t.literal('dir'), name: directoryName, visibility: Visibility.nodeCodec }),
          t.partial({ content: t.readonlyArray(childCodec) }),
        ]),
      ),
      'DirectoryTreeNode',
    ),
  ])

/** Only the root of an area has an empty name, and the root is never a child. */
const childCodec: t.Type<TreeNode, unknown, unknown> = t.recursion('TreeNode', () => nodeCodec(Name.codec as NameCodec))

export const codec: t.Type<TreeNode, unknown, unknown> = t.recursion('TreeNode', () =>
  nodeCodec(t.union([Name.codec, t.literal('')])),
)

const fileJsonTail = Visibility.tabulate((visibility) => `,"visibility":${Visibility.json(visibility)}}`)

export const fileJson = ({ name, size, last_modified, visibility }: FileTreeNode): string =>
  `{"type":"file","name":"${Name.escaped(name)}","size":${U64.json(size)},"last_modified":${U64.json(last_modified)}${fileJsonTail(visibility)}`

/** Returns the JSON of a directory up to its `content`. Close it with `}`, or with `,"content":[`, the children and `]}`. */
export const directoryJsonHead = (directory: Pick<DirectoryTreeNode, 'name' | 'visibility'>): string =>
  `{"type":"dir","name":"${Name.escaped(directory.name)}","visibility":${Visibility.json(directory.visibility)}`

export const json = (node: TreeNode): string =>
  node.type === 'file'
    ? fileJson(node)
    : node.content === undefined
      ? `${directoryJsonHead(node)}}`
      : `${directoryJsonHead(node)},"content":[${node.content.map(json).join(',')}]}`
