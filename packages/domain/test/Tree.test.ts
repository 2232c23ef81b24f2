import * as fc from 'fast-check'
import { newIORef } from 'fp-ts/lib/IORef.js'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../testkit/src/arbitraries/values.js'
import type * as Batch from '../src/Batch.js'
import * as Tree from '../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../src/TreeNode.js'
import { expanded } from './expanded.js'
import { name, path, u64 } from './literals.js'

/** Each file for itself. */
const childOf = (node: TreeNode): Tree.Child => {
  if (node.type === 'dir') return unfoldingDirectory(node)
  const { visibility, ...file } = node
  return { type: 'files', files: [file], visibility }
}

const unfoldingDirectory = (node: DirectoryTreeNode): Tree.Root => {
  const { content, ...directory } = node
  return {
    ...directory,
    expand: T.of(content === undefined ? Tree.unexpanded : expanded(content.map(childOf))),
  }
}

const unfolding = (node: TreeNode): Tree.Tree => (node.type === 'file' ? node : unfoldingDirectory(node))

const visibility = { inherited: true, visibility: 'public' } as const

const branch = (expand: Tree.Branch['expand']): Tree.Branch => ({ ...directory(T.of(Tree.unexpanded)), expand })

const directory = (expand: Tree.Root['expand']): Tree.Root => ({
  type: 'dir',
  name: '',
  visibility: { inherited: false, visibility: 'public' },
  expand,
})

describe('collecting a tree', () => {
  it('gives the nodes that it unfolds to', async () => {
    await fc.assert(
      fc.asyncProperty(treeNode, async (node) => {
        expect(await Tree.collect(unfolding(node))()).toStrictEqual(node)
      }),
    )
  })

  it('leaves out what has vanished', async () => {
    const { expand: _, ...root } = branch(T.of(Tree.vanished))
    const gone = branch(T.of(Tree.vanished))
    const there = branch(T.of(Tree.unexpanded))
    const tree = directory(T.of(expanded([gone, there, gone])))
    expect(await Tree.collect(tree)()).toStrictEqual({ ...root, content: [root] })
  })

  it('gives files that stand side by side as the nodes they are', async () => {
    const files = ['a', 'b'].map(
      (text) => ({ type: 'file', name: name(text), size: u64(1n), last_modified: u64(2n) }) as const,
    )
    const { expand: _, ...root } = branch(T.of(Tree.vanished))
    const there = branch(T.of(Tree.unexpanded))
    const tree = directory(T.of(expanded([{ type: 'files', files, visibility }, there])))
    expect(await Tree.collect(tree)()).toStrictEqual({
      ...root,
      content: [...files.map((file) => ({ ...file, visibility })), root],
    })
  })

  it('takes every step that is asked for before a directory is decided, and every batch of its children', async () => {
    const file = { type: 'file', name: name('f'), size: u64(1n), last_modified: u64(2n) } as const
    const files = { type: 'files', files: [file], visibility } as const
    const last: Batch.Batch<Tree.Child, void> = { is: 'last', items: [files], end: undefined }
    const children: Batch.Batch<Tree.Child, void> = {
      is: 'some',
      items: [files],
      rest: () => ({ is: 'some', items: [], rest: () => last }),
    }
    const decide = (): Tree.Expansion => ({ is: 'expanded', count: 2, children })
    const undecided = (steps: number): Tree.Expansion => ({
      is: 'undecided',
      decide: steps === 0 ? decide : () => undecided(steps - 1),
    })
    const { expand: _, ...root } = branch(T.of(Tree.vanished))
    for (const steps of [0, 100_000])
      expect(await Tree.collect(directory(T.of(undecided(steps))))()).toStrictEqual({
        ...root,
        content: [1, 2].map(() => ({ ...file, visibility })),
      })
  })

  it('leaves what cannot be read unexpanded, and says nothing of the cause', async () => {
    const { expand: _, ...root } = branch(T.of(Tree.vanished))
    const unreadable = branch(T.of(Tree.unreadable(path('/locked'), new Error('EACCES'))))
    expect(await Tree.collect(directory(T.of(expanded([unreadable]))))()).toStrictEqual({ ...root, content: [root] })
  })
})

describe('taking from the node budget', () => {
  it('takes all or nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 20 }), fc.nat({ max: 20 }), (left, count) => {
        const budget = newIORef(left)()
        expect(Tree.take(budget)(count)()).toBe(count <= left)
        expect(budget.read()).toBe(count <= left ? left - count : left)
      }),
    )
  })

  it('never ends when there is no bound', () => {
    const budget = newIORef(Tree.unbounded.nodes)()
    expect(Tree.take(budget)(Number.MAX_SAFE_INTEGER)()).toBe(true)
    expect(budget.read()).toBe(Number.POSITIVE_INFINITY)
  })
})
