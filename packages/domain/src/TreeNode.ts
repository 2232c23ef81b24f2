import * as t from 'io-ts'
import * as Entries from './Entries.js'
import type { FileEntry } from './Entry.js'
import * as Name from './Name.js'
import * as NodeVisibility from './NodeVisibility.js'
import * as U64 from './U64.js'

/** One node of a tree (interface, part 2). */
export type TreeNode = FileTreeNode | DirectoryTreeNode

export interface FileTreeNode {
  readonly type: 'file'
  readonly name: Name.Name
  /** In bytes. */
  readonly size: U64.U64
  /** In seconds since 1970. */
  readonly last_modified: U64.U64
  readonly visibility: NodeVisibility.NodeVisibility
}

export interface DirectoryTreeNode {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: Name.Name | ''
  readonly visibility: NodeVisibility.NodeVisibility
  /** All its children that the asker may see, or absent: not expanded, ask for it. */
  readonly content?: ReadonlyArray<TreeNode>
}

/** Files that stand side by side in a directory and are alike in visibility: one value for many nodes. */
export interface Files {
  readonly type: 'files'
  readonly files: Entries.Entries<FileEntry>
  readonly visibility: NodeVisibility.NodeVisibility
}

export const nodesOf = ({ files, visibility }: Files): ReadonlyArray<FileTreeNode> =>
  Array.from(files, ({ name, size, last_modified }) => ({ type: 'file', name, size, last_modified, visibility }))

interface FileOutput {
  readonly type: 'file'
  readonly name: string
  readonly size: bigint
  readonly last_modified: bigint
  readonly visibility: NodeVisibility.NodeVisibility
}

interface DirectoryOutput {
  readonly type: 'dir'
  readonly name: string
  readonly visibility: NodeVisibility.NodeVisibility
  readonly content?: ReadonlyArray<Output>
}

export type Output = FileOutput | DirectoryOutput

/** A field that a node of its kind does not have is left out: `content` of a file too. */
export const fileCodec: t.Type<FileTreeNode, FileOutput, unknown> = t.readonly(
  t.strict({
    type: t.literal('file'),
    name: Name.codec,
    size: U64.codec,
    last_modified: U64.codec,
    visibility: NodeVisibility.codec,
  }),
  'FileTreeNode',
)

type NameCodec = t.Type<DirectoryTreeNode['name'], string, unknown>

const nodeCodec = (directoryName: NameCodec): t.Type<TreeNode, Output, unknown> =>
  t.union([
    fileCodec,
    t.readonly(
      t.exact(
        t.intersection([
          t.type({ type: t.literal('dir'), name: directoryName, visibility: NodeVisibility.codec }),
          t.partial({ content: t.readonlyArray(childCodec) }),
        ]),
      ),
      'DirectoryTreeNode',
    ),
  ])

/** Only the root of an area has an empty name, and it is no one's child. */
const childCodec: t.Type<TreeNode, Output, unknown> = t.recursion('TreeNode', () => nodeCodec(Name.codec as NameCodec))

export const codec: t.Type<TreeNode, Output, unknown> = t.recursion('TreeNode', () =>
  nodeCodec(t.union([Name.codec, t.literal('')])),
)

const writeFileIn = NodeVisibility.tabulate((visibility): Entries.WriteEntry => {
  const tail = `,"visibility":${NodeVisibility.json(visibility)}}`
  return (_, name, last_modified, size) =>
    `{"type":"file","name":${name},"size":${size},"last_modified":${last_modified}${tail}`
})

export const fileJson = ({ name, size, last_modified, visibility }: FileTreeNode): string =>
  writeFileIn(visibility)(true, JSON.stringify(name), last_modified, size)

/** With commas in between. */
export const filesJson = ({ files, visibility }: Files): string =>
  Entries.texts(files, writeFileIn(visibility)).join(',')

/** A directory's JSON up to its `content`: close it with `}`, or with `,"content":[`, the children and `]}`. */
export const directoryJsonHead = (directory: Pick<DirectoryTreeNode, 'name' | 'visibility'>): string =>
  `{"type":"dir","name":${JSON.stringify(directory.name)},"visibility":${NodeVisibility.json(directory.visibility)}`

export const json = (node: TreeNode): string =>
  node.type === 'file'
    ? fileJson(node)
    : node.content === undefined
      ? `${directoryJsonHead(node)}}`
      : `${directoryJsonHead(node)},"content":[${node.content.map(json).join(',')}]}`
