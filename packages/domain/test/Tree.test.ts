import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../testkit/src/arbitraries/values.js'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import * as Failure from '../src/Failure.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../src/TreeNode.js'
import * as View from '../src/View.js'
import {
  area,
  dir,
  file,
  nodesOf,
  pageSizes,
  path,
  set,
  settingsOf,
  shouldNotBeCalled,
  storageOf,
  u64,
} from './support.js'
import { alone, always, bounds, budget, childrenOf, collected, contentOf, depth, flat, names, owner } from './trees.js'

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

  it('pages of the storage do not change the tree, nor what fits its budget', () => {
    const limits = fc.integer({ min: 1, max: 12 }).map(budget)
    return fc.assert(
      fc.asyncProperty(worldAccount(), limits, fc.boolean(), async (account, bounded, asOwner) => {
        const view = (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account))
        for (const some of [Tree.unbounded, bounded]) {
          const [whole, ...paged] = await Promise.all(
            pageSizes.map((size) => collected('/', some, view, storageOf(nodesOf(account), size))),
          )
          expect(paged).toStrictEqual(paged.map(() => whole))
        }
      }),
    )
  })

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

  it('the whole tree down to that level, whose directories are not expanded', () =>
    always(fc.nat({ max: 5 }).map(depth), ({ whole, bounded, bounds: { depth: some } }) => {
      const levels = O.getOrElse(() => 0)(some)
      const reached = whole.filter(({ level }) => level <= levels)
      expect(bounded.map((each) => each.path)).toStrictEqual(reached.map((each) => each.path))
      for (const { node, level } of bounded) expect('content' in node).toBe(node.type === 'dir' && level < levels)
    }))
})

describe('a node budget bounds the whole answer', () => {
  const bounded = fc
    .record({
      nodes: fc.integer({ min: 1, max: 25 }),
      depth: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    })
    .map(bounds)

  it('holds at most that many nodes; a directory has all its visible children or no content', () =>
    always(bounded, ({ whole, bounded, bounds: { nodes } }) => {
      expect(bounded.length).toBeLessThanOrEqual(nodes)
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

  it.each(pageSizes)('counts only nodes that the client may see, with pages of %s', async (pageEntries) => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/a': 'private', '/b': 'hidden' }))
    const storage = storageOf([file('a'), file('b'), file('c')], pageEntries)
    expect(await collected('/', budget(2), view, storage)).toMatchObject(E.right({ content: [{ name: 'c' }] }))
  })

  it.each(pageSizes)('a directory that does not fit leaves its budget to later ones, pages of %s', async (size) => {
    const storage = storageOf([dir('a', file('1'), file('2'), file('3')), dir('b', file('1'))], size)
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
const unfolding = (node: TreeNode) =>
  node.type === 'file' ? { ...node, path: StoragePath.root } : unfoldingDirectory(node)

/** Only lines show these fields. */
const ofLines = { path: StoragePath.root, last_modified: u64(1n) }

const unfoldingDirectory = ({
  content,
  ...node
}: DirectoryTreeNode): Tree.Directory<Tree.Listed | Tree.NotExpanded> => ({
  ...node,
  ...ofLines,
  children: TE.right(
    content === undefined
      ? ({ is: 'not expanded' } as const)
      : listed(content.map((child) => (child.type === 'file' ? child : unfoldingDirectory(child)))),
  ),
})

const listed = (children: ReadonlyArray<Tree.Child | undefined>, admitted = true): Tree.Listed => ({
  is: 'listed',
  children,
  maxChildren: children.length,
  admit: () => () => admitted,
})

describe('collecting a tree', () => {
  const node = { type: 'dir', name: '', visibility: { inherited: false, visibility: 'public' } } as const
  const branch = (found: Tree.Expansion): Tree.Directory => ({ ...node, ...ofLines, children: TE.right(found) })
  const collect = (...children: ReadonlyArray<Tree.Child | undefined>) =>
    Tree.collect({ ...node, ...ofLines, children: TE.right(listed(children)) })()

  it('gives the nodes that it unfolds to', async () => {
    await fc.assert(
      fc.asyncProperty(treeNode, async (whole) => {
        expect(await Tree.collect(unfolding(whole))()).toStrictEqual(E.right(whole))
      }),
    )
  })

  it('leaves out what is not shown, and what has vanished', async () => {
    const gone = branch({ is: 'vanished' })
    expect(await collect(gone, undefined, branch({ is: 'not expanded' }), gone)).toStrictEqual(
      E.right({ ...node, content: [node] }),
    )
  })

  it('leaves what is not admitted unexpanded, and asks none of its children', async () => {
    const unasked: Tree.Directory = { ...node, ...ofLines, children: shouldNotBeCalled }
    expect(await collect(branch(listed([unasked], false)))).toStrictEqual(E.right({ ...node, content: [node] }))
  })

  it('leaves what cannot be read unexpanded, and says nothing of the cause', async () => {
    const unreadable = { path: path('/locked'), cause: new Error('EACCES') }
    expect(await collect(branch({ is: 'not expanded', unreadable }))).toStrictEqual(
      E.right({ ...node, content: [node] }),
    )
  })
  it('fails where a directory below fails: a new request would fail too', async () => {
    const revoked: Tree.Directory = { ...node, ...ofLines, children: TE.left(Failure.invalidToken) }
    expect(await collect(branch(listed([revoked])))).toStrictEqual(E.left(Failure.invalidToken))
  })
})
