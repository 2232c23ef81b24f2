import type { TreeNode } from '@canopy/domain'
import * as fc from 'fast-check'
import { name } from './name.js'
import { nodeVisibility } from './nodeVisibility.js'
import { u64 } from './u64.js'

type Nodes = {
  readonly node: TreeNode.TreeNode
  readonly file: TreeNode.FileTreeNode
  readonly directory: TreeNode.DirectoryTreeNode
}

const named = <N extends TreeNode.TreeNode>(node: fc.Arbitrary<N>): fc.Arbitrary<N> =>
  node.filter(({ name }) => name !== '')

/** A file, or a directory with `content` or without; nameless directories stand only at the top. */
export const treeNode: fc.Arbitrary<TreeNode.TreeNode> = fc.letrec<Nodes>((tie) => ({
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('file'), tie('directory')),
  file: fc.record(
    { type: fc.constant('file' as const), name, size: u64, last_modified: u64, visibility: nodeVisibility },
    { noNullPrototype: true },
  ),
  directory: fc.record(
    {
      type: fc.constant('dir' as const),
      name: fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant('' as const) }),
      visibility: nodeVisibility,
      content: fc.array(named(tie('node')), { maxLength: 4 }),
    },
    { requiredKeys: ['type', 'name', 'visibility'], noNullPrototype: true },
  ),
})).node
