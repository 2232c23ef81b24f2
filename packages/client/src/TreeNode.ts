import type { TreeNode as Domain, Name, NodeVisibility } from '@canopy/domain'

/** One node of a tree: a file, a directory with its children, or one that is to be asked for. */
export type TreeNode = Domain.FileTreeNode | ExpandedDirectory | UnexpandedDirectory

interface Directory {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: Name.Name | ''
  readonly visibility: NodeVisibility.NodeVisibility
}

/** A directory with its children. */
export interface ExpandedDirectory extends Directory {
  /** All its children that the asker may see. */
  readonly content: ReadonlyArray<TreeNode>
}

/** Beyond the depth that was asked for or the server's node budget, or unreadable: ask for it by its path. */
export interface UnexpandedDirectory extends Directory {
  readonly content?: never
}

export const isExpanded = (node: TreeNode): node is ExpandedDirectory =>
  node.type === 'dir' && node.content !== undefined

export const isUnexpanded = (node: TreeNode): node is UnexpandedDirectory =>
  node.type === 'dir' && node.content === undefined

export const fromDomain = (node: Domain.TreeNode): TreeNode => {
  if (node.type === 'file') return node
  const { type, name, visibility, content } = node
  return content === undefined
    ? { type, name, visibility }
    : { type, name, visibility, content: content.map(fromDomain) }
}

/** Exhaustive: three kinds, three cases. */
export const match =
  <A>(cases: {
    readonly file: (file: Domain.FileTreeNode) => A
    readonly expanded: (directory: ExpandedDirectory) => A
    readonly unexpanded: (directory: UnexpandedDirectory) => A
  }) =>
  (node: TreeNode): A =>
    node.type === 'file' ? cases.file(node) : node.content === undefined ? cases.unexpanded(node) : cases.expanded(node)
