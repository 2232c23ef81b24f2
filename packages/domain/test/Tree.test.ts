import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../testkit/src/arbitraries/values.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../src/TreeNode.js'
import * as View from '../src/View.js'
import { area, dir, file, path, set, shouldNotBeCalled, storageOf, u64 } from './support.js'
import { alone, always, budget, childrenOf, collected, contentOf, depth, flat, names, owner } from './trees.js'

const unbounded = fc.constant(Tree.unbounded)

describe('a tree is the whole visible subtree', () => {
  it('a node is in it exactly when it and every directory on the way down to it are shown', () =>
    always(unbounded, async ({ whole, at, view, storage, paths }) => {
      const below = paths.filter((each) => each !== at && StoragePath.contains(at)(each))
      const exists = await Promise.all(below.map(async (each) => E.isRight(await storage.nodeAt(area, each)())))
      const shown = below.filter(
        (each, index) =>
          exists[index] === true &&
          StoragePath.upwards(each)
            .filter((on) => on !== at && StoragePath.contains(at)(on))
            .every((on) => view.shows(Settings.visibilityAt(view.settings, on))),
      )
      expect(whole.map((each) => each.path).sort()).toStrictEqual([at, ...shown].sort())
    }))

  it('every node has its visibility, and its children in byte order of their names', () =>
    always(unbounded, ({ whole, view }) => {
      for (const { node, path: on } of whole) {
        expect(node.visibility).toStrictEqual(Settings.visibilityAt(view.settings, path(on)))
        expect(names(childrenOf(node))).toStrictEqual([...names(childrenOf(node))].sort(Name.byBytes.compare))
      }
    }))

  it("the root's name is empty; a directory carries its children, a file its size", async () => {
    const storage = storageOf([dir('d', file('f', 2n ** 64n - 1n)), dir('e')])
    const inherited = { inherited: true, visibility: 'private' }
    expect(await collected('/', Tree.unbounded, owner, storage)).toStrictEqual(
      E.right({
        type: 'dir',
        name: '',
        visibility: { inherited: false, visibility: 'private' },
        content: [
          {
            type: 'dir',
            name: 'd',
            visibility: inherited,
            content: [{ type: 'file', name: 'f', size: 2n ** 64n - 1n, last_modified: 1n, visibility: inherited }],
          },
          { type: 'dir', name: 'e', visibility: inherited, content: [] },
        ],
      }),
    )
  })
})

describe('depth bounds the levels of children', () => {
  it('0 is the node alone, and nothing is listed', async () => {
    const storage = { ...storageOf([dir('d', file('f'))]), list: shouldNotBeCalled }
    expect(await collected('/d', depth(0), owner, storage)).toStrictEqual(
      E.right({ type: 'dir', name: 'd', visibility: { inherited: true, visibility: 'private' } }),
    )
  })

  it('is the whole tree down to that level; the directories of that level are not expanded, those above are', () =>
    always(fc.nat({ max: 5 }).map(depth), ({ whole, bounded, bounds }) => {
      const levels = O.getOrElse(() => 0)(bounds.depth)
      const reached = whole.filter(({ level }) => level <= levels)
      expect(bounded.map((each) => each.path)).toStrictEqual(reached.map((each) => each.path))
      for (const { node, level } of bounded) expect('content' in node).toBe(node.type === 'dir' && level < levels)
    }))
})

describe('a node budget bounds the whole answer', () => {
  const bounded = fc.record({
    nodes: fc.integer({ min: 1, max: 25 }),
    depth: fc.option(fc.nat({ max: 4 })).map(O.fromNullable),
  })

  it('holds no more nodes; a directory carries either all its visible children or no content at all', () =>
    always(bounded, ({ whole, bounded, bounds }) => {
      expect(bounded.length).toBeLessThanOrEqual(bounds.nodes)
      const full = new Map(whole.map((each) => [each.path, each.node]))
      for (const { node, path: on } of bounded) {
        expect(alone(node)).toStrictEqual(alone(full.get(on)))
        expect([contentOf(full.get(on)), 'not expanded']).toContainEqual(contentOf(node))
      }
    }))

  it('a budget for all its nodes is enough for the whole tree', () =>
    always(unbounded, async ({ whole, at, view, storage }) => {
      const enough = await collected(at, budget(whole.length), view, storage)
      expect(E.isRight(enough) && flat(enough.right, at)).toStrictEqual(whole)
    }))

  it('an empty directory is expanded even when the budget is spent: it costs nothing', async () => {
    expect(await collected('/d', budget(1), owner, storageOf([dir('d')]))).toMatchObject(
      E.right({ name: 'd', content: [] }),
    )
  })

  it('only what the asker may see is counted', async () => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/a': 'private', '/b': 'hidden' }))
    const storage = storageOf([file('a'), file('b'), file('c')])
    expect(await collected('/', budget(2), view, storage)).toMatchObject(E.right({ content: [{ name: 'c' }] }))
  })

  it('is spent depth first; a directory that does not fit does not stop a later one that does', async () => {
    const storage = storageOf([dir('a', file('1'), file('2'), file('3')), dir('b', file('1'))])
    const found = await collected('/', budget(4), owner, storage)
    expect(E.isRight(found) && childrenOf(found.right).map(contentOf)).toStrictEqual(['not expanded', ['1']])
  })
})

it('the root is a directory without a name, whatever a storage takes it for', async () => {
  const mistaken: NodeAtEnv & ListEnv = {
    nodeAt: () => TE.right({ type: 'file', size: u64(1n), last_modified: u64(1n) }),
    list: shouldNotBeCalled,
  }
  expect(await collected('/', depth(0), owner, mistaken)).toStrictEqual(
    E.right({ type: 'dir', name: '', visibility: { inherited: false, visibility: 'private' } }),
  )
})

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
