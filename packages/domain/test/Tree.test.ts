import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../testkit/src/arbitraries/treeNode.js'
import type * as Batch from '../src/Batch.js'
import * as Failure from '../src/Failure.js'
import * as Tree from '../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../src/TreeNode.js'
import { expanded } from './expanded.js'
import { name, u64 } from './literals.js'
import { shouldNotBeCalled } from './shouldNotBeCalled.js'

/** Each file for itself. */
const childOf = (node: TreeNode): Tree.Child => {
  if (node.type === 'dir') return unfoldingDirectory(node)
  const { visibility, ...file } = node
  return { type: 'files', files: [file], visibility }
}

const unfoldingDirectory = (node: DirectoryTreeNode): Tree.Branch => {
  const { content, ...directory } = node
  return {
    ...directory,
    expand: TE.right(content === undefined ? Tree.unexpanded : expanded(content.map(childOf))),
  }
}

const unfolding = (node: TreeNode): Tree.Tree => (node.type === 'file' ? node : unfoldingDirectory(node))

const visibility = { inherited: true, visibility: 'public' } as const

const branch = (expand: Tree.Branch['expand']): Tree.Branch => ({
  type: 'dir',
  name: '',
  visibility: { inherited: false, visibility: 'public' },
  expand,
})

describe('collecting a tree', () => {
  it('gives the nodes that it unfolds to', async () => {
    await fc.assert(
      fc.asyncProperty(treeNode, async (node) => {
        expect(await Tree.collect(unfolding(node))()).toStrictEqual(E.right(O.some(node)))
      }),
    )
  })

  it('leaves out what has vanished', async () => {
    const { expand: _, ...root } = branch(TE.right(Tree.vanished))
    const gone = branch(TE.right(Tree.vanished))
    const there = branch(TE.right(Tree.unexpanded))
    const tree = branch(TE.right(expanded([gone, there, gone])))
    expect(await Tree.collect(tree)()).toStrictEqual(E.right(O.some({ ...root, content: [root] })))
  })

  it('gives files that stand side by side as the nodes they are', async () => {
    const files = ['a', 'b'].map(
      (text) => ({ type: 'file', name: name(text), size: u64(1n), last_modified: u64(2n) }) as const,
    )
    const { expand: _, ...root } = branch(TE.right(Tree.vanished))
    const there = branch(TE.right(Tree.unexpanded))
    const tree = branch(TE.right(expanded([{ type: 'files', files, visibility }, there])))
    expect(await Tree.collect(tree)()).toStrictEqual(
      E.right(O.some({ ...root, content: [...files.map((file) => ({ ...file, visibility })), root] })),
    )
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
    const { expand: _, ...root } = branch(TE.right(Tree.vanished))
    for (const steps of [0, 100_000])
      expect(await Tree.collect(branch(TE.right(undecided(steps))))()).toStrictEqual(
        E.right(O.some({ ...root, content: [1, 2].map(() => ({ ...file, visibility })) })),
      )
  })

  it('is none when the node itself has vanished', async () => {
    expect(await Tree.collect(branch(TE.right(Tree.vanished)))()).toStrictEqual(E.right(O.none))
  })

  it('fails when any part of it fails, and asks for nothing more', async () => {
    const failure = Failure.external('EIO')
    const failing = branch(TE.left(failure))
    const tree = branch(TE.right(expanded([branch(TE.right(expanded([failing]))), branch(shouldNotBeCalled)])))
    expect(await Tree.collect(tree)()).toStrictEqual(E.left(failure))
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
