import * as fc from 'fast-check'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../../testkit/src/arbitraries/values.js'
import * as Tree from '../../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../../src/TreeNode.js'
import { path, shouldNotBeCalled } from '../support.js'

/** The tree that unfolds to a node. */
const unfolding = (node: TreeNode): Tree.Tree => (node.type === 'file' ? node : unfoldingDirectory(node))

const unfoldingDirectory = ({ content, ...node }: DirectoryTreeNode) => ({
  ...node,
  children: T.of(content === undefined ? ({ is: 'not expanded' } as const) : listed(content.map(unfolding))),
})

const listed = (children: ReadonlyArray<Tree.Child | undefined>, admitted = true): Tree.Listed => ({
  is: 'listed',
  children,
  most: children.length,
  admit: () => () => admitted,
})

describe('collecting a tree', () => {
  const node = { type: 'dir', name: '', visibility: { inherited: false, visibility: 'public' } } as const
  const branch = (found: Tree.Expansion): Tree.Directory => ({ ...node, children: T.of(found) })
  const collect = (...children: ReadonlyArray<Tree.Child | undefined>) =>
    Tree.collect({ ...node, children: T.of(listed(children)) })()

  it('gives the nodes that it unfolds to', async () => {
    await fc.assert(
      fc.asyncProperty(treeNode, async (whole) => {
        expect(await Tree.collect(unfolding(whole))()).toStrictEqual(whole)
      }),
    )
  })

  it('leaves out what is not shown, and what has vanished', async () => {
    const gone = branch({ is: 'vanished' })
    expect(await collect(gone, undefined, branch({ is: 'not expanded' }), gone)).toStrictEqual({
      ...node,
      content: [node],
    })
  })

  it('leaves what is not admitted unexpanded, and asks none of its children', async () => {
    const unasked: Tree.Directory = { ...node, children: shouldNotBeCalled }
    expect(await collect(branch(listed([unasked], false)))).toStrictEqual({ ...node, content: [node] })
  })

  it('leaves what cannot be read unexpanded, and says nothing of the cause', async () => {
    const unreadable = { path: path('/locked'), cause: new Error('EACCES') }
    expect(await collect(branch({ is: 'not expanded', unreadable }))).toStrictEqual({ ...node, content: [node] })
  })
})
