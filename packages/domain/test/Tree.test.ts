import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { treeNode } from '../../testkit/src/arbitraries/values.js'
import { locate, pathsOf, place, worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import * as Failure from '../src/Failure.js'
import type { Node } from '../src/Listing.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import { treeAt } from '../src/Tree.js'
import type { DirectoryTreeNode, TreeNode } from '../src/TreeNode.js'
import * as U64 from '../src/U64.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import { area } from './area.js'
import { name, path, settings as set, u64 } from './literals.js'
import { nodesOf } from './nodesOf.js'
import { settingsOf } from './settingsOf.js'
import { shouldNotBeCalled } from './shouldNotBeCalled.js'
import { storageOf } from './storageOf.js'
import { dir, file } from './worldLiterals.js'

const owner = View.ofOwner(area, Settings.none)

const collected = (at: string, bounds: Tree.Bounds, view: View.View, storage: NodeAtEnv & ListEnv) =>
  pipe(treeAt({ path: path(at), mustBeDirectory: false }, bounds)(view)(storage), TE.flatMapTask(Tree.collect))()

/** The children of the root, once it is admitted. */
const childrenOfRoot = async (view: View.View, bounds: Tree.Bounds, storage: NodeAtEnv & ListEnv) => {
  const tree = await treeAt({ path: path('/'), mustBeDirectory: false }, bounds)(view)(storage)()
  const root = E.isRight(tree) && tree.right.type === 'dir' ? await tree.right.children() : undefined
  if (root?.is !== 'listed') return expect.fail('no tree')
  const children = [...root.children].filter((child) => child !== undefined)
  root.admit(children.length)()
  return children
}

const depth = (levels: number): Tree.Bounds => ({ ...Tree.unbounded, depth: O.some(levels) })
const budget = (nodes: number): Tree.Bounds => ({ ...Tree.unbounded, nodes })

interface Placed {
  readonly path: string
  readonly level: number
  readonly node: TreeNode
}

const childrenOf = (node: TreeNode): ReadonlyArray<TreeNode> => (node.type === 'dir' ? (node.content ?? []) : [])

/** A tree as a list: each node with its path and how far it is below the top. */
const flat = (node: TreeNode, at: string, level = 0): ReadonlyArray<Placed> => [
  { path: at, level, node },
  ...childrenOf(node).flatMap((child) => flat(child, `${at === '/' ? '' : at}/${child.name}`, level + 1)),
]

const alone = (node: TreeNode | undefined) => ({ ...node, content: undefined })

const contentOf = (node: TreeNode | undefined) =>
  node?.type === 'dir' && node.content !== undefined ? names(node.content) : 'not expanded'

const names = (nodes: ReadonlyArray<TreeNode>) => nodes.map(({ name }) => name)

const cases = fc
  .record({ account: worldAccount(), at: place, asOwner: fc.boolean() })
  .map(({ account, at, asOwner }) => ({
    at: locate(pathsOf(account.area))(at),
    view: (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account)),
    storage: storageOf(nodesOf(account)),
    paths: pathsOf(account.area).map(path),
  }))

/** Asks twice, without and with bounds, and compares where there is something to compare. */
const compared = async (
  { at, view, storage }: { readonly at: string; readonly view: View.View; readonly storage: NodeAtEnv & ListEnv },
  bounds: Tree.Bounds,
  compare: (whole: ReadonlyArray<Placed>, bounded: ReadonlyArray<Placed>) => void | Promise<void>,
): Promise<void> => {
  const whole = await collected(at, Tree.unbounded, view, storage)
  const bounded = await collected(at, bounds, view, storage)
  if (E.isRight(whole) && E.isRight(bounded)) await compare(flat(whole.right, at), flat(bounded.right, at))
  else expect(bounded).toStrictEqual(whole)
}

describe('a tree is the whole visible subtree', () => {
  it('a node is in it exactly when it and every directory on the way down to it are shown', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ at, view, storage, paths }) => {
        const below = paths.filter((each) => each !== at && StoragePath.contains(at)(each))
        const exists = await Promise.all(below.map(async (each) => E.isRight(await storage.nodeAt(area, each)())))
        const shown = below.filter(
          (each, index) =>
            exists[index] === true &&
            StoragePath.upwards(each)
              .filter((on) => on !== at && StoragePath.contains(at)(on))
              .every((on) => view.shows(Settings.visibilityAt(view.settings, on))),
        )
        await compared({ at, view, storage }, Tree.unbounded, (whole) => {
          expect(whole.map((each) => each.path).sort()).toStrictEqual([at, ...shown].sort())
        })
      }),
    )
  })

  it('every node has its visibility', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (asked) =>
        compared(asked, Tree.unbounded, (whole) => {
          for (const { node, path: on } of whole)
            expect(node.visibility).toStrictEqual(Settings.visibilityAt(asked.view.settings, path(on)))
        }),
      ),
    )
  })

  it('the children of every directory stand in byte order of their names', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (asked) =>
        compared(asked, Tree.unbounded, (whole) => {
          for (const { node } of whole)
            expect(names(childrenOf(node))).toStrictEqual([...names(childrenOf(node))].sort(Name.byBytes.compare))
        }),
      ),
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

  it('what lies below a left-out directory is left out with it, also if it is public; it can be reached by name', async () => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/d': 'private', '/d/f': 'public' }))
    const storage = storageOf([dir('d', file('f'))])
    expect(await collected('/', Tree.unbounded, view, storage)).toMatchObject(E.right({ content: [] }))
    expect(await collected('/d/f', Tree.unbounded, view, storage)).toMatchObject(E.right({ name: 'f' }))
  })
})

describe('depth bounds the levels of children', () => {
  it('0 is the node alone, and nothing is listed', async () => {
    const storage = { ...storageOf([dir('d', file('f'))]), list: shouldNotBeCalled }
    expect(await collected('/d', depth(0), owner, storage)).toStrictEqual(
      E.right({ type: 'dir', name: 'd', visibility: { inherited: true, visibility: 'private' } }),
    )
  })

  it('1 is the node and its children', async () => {
    const storage = storageOf([dir('d', dir('e', file('f'))), file('g')])
    expect(await collected('/', depth(1), owner, storage)).toMatchObject(
      E.right({ content: [{ name: 'd' }, { name: 'g' }] }),
    )
    await compared({ at: '/', view: owner, storage }, depth(1), (_, bounded) => {
      expect(bounded).toHaveLength(3)
      expect(bounded[1]?.node).not.toHaveProperty('content')
    })
  })

  it('is the whole tree down to that level; the directories of that level are not expanded, those above are', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat({ max: 5 }), async (asked, levels) =>
        compared(asked, depth(levels), (whole, bounded) => {
          const reached = whole.filter(({ level }) => level <= levels)
          expect(bounded.map((each) => each.path)).toStrictEqual(reached.map((each) => each.path))
          for (const { node, level } of bounded) expect('content' in node).toBe(node.type === 'dir' && level < levels)
        }),
      ),
    )
  })
})

describe('a node budget bounds the whole answer', () => {
  const nodes = fc.integer({ min: 1, max: 25 })

  it('never holds more nodes', async () => {
    await fc.assert(
      fc.asyncProperty(cases, nodes, async (asked, most) =>
        compared(asked, budget(most), (_, bounded) => {
          expect(bounded.length).toBeLessThanOrEqual(most)
        }),
      ),
    )
  })

  it('a directory carries either all its visible children or no content at all', async () => {
    await fc.assert(
      fc.asyncProperty(cases, nodes, fc.option(fc.nat({ max: 4 })), async (asked, most, levels) =>
        compared(asked, { nodes: most, depth: O.fromNullable(levels) }, (whole, bounded) => {
          const full = new Map(whole.map((each) => [each.path, each.node]))
          for (const { node, path: on } of bounded) {
            expect(alone(node)).toStrictEqual(alone(full.get(on)))
            expect([contentOf(full.get(on)), 'not expanded']).toContainEqual(contentOf(node))
          }
        }),
      ),
    )
  })

  it('a budget for all its nodes is enough for the whole tree, for one node less it is not', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (asked) =>
        compared(asked, Tree.unbounded, async (whole) => {
          await compared(asked, budget(whole.length), (_, bounded) => {
            expect(bounded).toStrictEqual(whole)
          })
          await compared(asked, budget(Math.max(1, whole.length - 1)), (_, bounded) => {
            expect(bounded.length).toBeLessThanOrEqual(Math.max(1, whole.length - 1))
          })
        }),
      ),
    )
  })

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
    expect(await collected('/', budget(4), owner, storage)).toStrictEqual(
      E.right(
        expect.objectContaining({
          content: [
            expect.not.objectContaining({ content: expect.anything() }),
            expect.objectContaining({ name: 'b', content: [expect.objectContaining({ name: '1' })] }),
          ],
        }),
      ),
    )
  })
})

describe('what happens to the storage during the walk', () => {
  const nodes = [dir('a', file('f')), dir('b', file('g'))]
  const failingAt = (at: string, failure: Failure.OfStorage, storage = storageOf(nodes)) => {
    const list: ListEnv['list'] = (in_, on) => (on === at ? TE.left(failure) : storage.list(in_, on))
    return { ...storage, list }
  }
  const inherited = { inherited: true, visibility: 'private' }
  const notExpanded = { type: 'dir', name: 'a', visibility: inherited }

  it.each([Failure.fileNotFound, Failure.typeMismatch])(
    'an entry that vanishes is left out, also one that is a file by then: $error',
    async (failure) => {
      expect(await collected('/', Tree.unbounded, owner, failingAt('/a', failure))).toMatchObject(
        E.right({ content: [{ name: 'b', content: [{ name: 'g' }] }] }),
      )
    },
  )

  it.each([
    ['is not found', TE.left(Failure.fileNotFound)],
    ['is below a file', TE.left(Failure.typeMismatch)],
    ['cannot be read', TE.left(Failure.external('EIO'))],
    ['is a file', TE.right<never, Node>({ type: 'file', size: U64.zero, last_modified: U64.zero })],
  ] as const)('where the node that was asked for %s by then, nothing is left out', async (_, then) => {
    const storage = failingAt('/a', Failure.fileNotFound)
    let asked = 0
    const nodeAt: NodeAtEnv['nodeAt'] = (in_, on) => async () => {
      asked += 1
      return asked === 1 ? storage.nodeAt(in_, on)() : then()
    }
    expect(await collected('/', Tree.unbounded, owner, { ...storage, nodeAt })).toMatchObject(
      E.right({ content: [notExpanded, { name: 'b', content: [{ name: 'g' }] }] }),
    )
    expect(asked).toBe(2)
  })

  it.each([Failure.fileNotFound, Failure.typeMismatch])(
    'the node itself may vanish: it is not found then: $error',
    async (failure) => {
      expect(await collected('/a', Tree.unbounded, owner, failingAt('/a', failure))).toStrictEqual(
        E.left(Failure.fileNotFound),
      )
    },
  )

  it.each([Tree.unbounded, depth(1), budget(1)])('the node itself must be readable: %o', async (bounds) => {
    const failure = Failure.external('EIO')
    expect(await collected('/a', bounds, owner, failingAt('/a', failure))).toStrictEqual(E.left(failure))
  })

  it('unless it is asked for alone: then it is not listed', async () => {
    expect(await collected('/a', depth(0), owner, failingAt('/a', Failure.external('EIO')))).toStrictEqual(
      E.right(notExpanded),
    )
  })

  it('a directory below it that cannot be listed is not expanded, and takes nothing else away', async () => {
    const found = await collected('/', Tree.unbounded, owner, failingAt('/a', Failure.external('EIO')))
    expect(found).toMatchObject(E.right({ content: [notExpanded, { name: 'b', content: [{ name: 'g' }] }] }))
    expect(found).not.toMatchObject(E.right({ content: [{ content: expect.anything() }] }))
  })

  it('takes nothing from the budget for what it cannot list, however much that holds', async () => {
    const some = storageOf([dir('a', file('1'), file('2'), file('3')), dir('b', file('1'), file('2'))])
    const found = await collected('/', budget(5), owner, failingAt('/a', Failure.external('EIO'), some))
    expect(found).toMatchObject(E.right({ content: [notExpanded, { content: [{ name: '1' }, { name: '2' }] }] }))
  })

  /** What the first directory below the root turns out to be. */
  const firstBelow = async (view: View.View, storage: NodeAtEnv & ListEnv) => {
    const [first] = await childrenOfRoot(view, Tree.unbounded, storage)
    return first?.type === 'dir' ? first.children() : expect.fail('no directory')
  }

  it('tells its path and the cause, for the log alone', async () => {
    expect(await firstBelow(owner, failingAt('/a', Failure.external('EIO')))).toStrictEqual({
      is: 'not expanded',
      unreadable: { path: '/a', cause: 'EIO' },
    })
  })

  it('where the node that was asked for cannot be read by then, its cause is told', async () => {
    const storage = failingAt('/a', Failure.fileNotFound)
    let asked = 0
    const nodeAt: NodeAtEnv['nodeAt'] = (in_, on) => {
      asked += 1
      return asked === 1 ? storage.nodeAt(in_, on) : TE.left(Failure.external('EIO'))
    }
    // The first question is asked when the tree is, the second when the directory is not found.
    expect(await firstBelow(owner, { ...storage, nodeAt: (in_, on) => () => nodeAt(in_, on)() })).toStrictEqual({
      is: 'not expanded',
      unreadable: { path: '/a', cause: 'EIO' },
    })
  })

  it('whether it is expanded depends for a visitor on what they may see alone', async () => {
    const storage = storageOf(nodes)
    const list: ListEnv['list'] = (in_, on) =>
      pipe(
        storage.list(in_, on),
        TE.map((listing) => (on === '/a' ? { ...listing, unknown: { names: [name('u')], cause: 'EIO' } } : listing)),
      )
    const visitor = (u: Visibility) => View.ofVisitor(area, set({ '/': 'public', '/a/u': u }))
    expect(await firstBelow(visitor('private'), { ...storage, list })).toMatchObject({ is: 'listed', most: 1 })
    expect(await firstBelow(visitor('hidden'), { ...storage, list })).toMatchObject({ is: 'listed', most: 1 })
    expect(await firstBelow(visitor('public'), { ...storage, list })).toMatchObject({ unreadable: { cause: 'EIO' } })
    expect(await firstBelow(owner, { ...storage, list })).toMatchObject({ unreadable: { cause: 'EIO' } })
  })
})

describe('the children of a directory may be asked for early', () => {
  const storage = storageOf([dir('a', file('f')), dir('b', file('g'))])
  const branchesWhile = async (bounds: Tree.Bounds) => {
    const listings: Array<string> = []
    const list: ListEnv['list'] = (in_, on) => () => {
      listings.push(on)
      return storage.list(in_, on)()
    }
    const children = await childrenOfRoot(owner, bounds, { ...storage, list })
    return { listings, branches: children.filter((child) => child.type === 'dir') }
  }

  it('to ask reads, and takes nothing from the budget: it is spent in the order of admitting', async () => {
    const { listings, branches } = await branchesWhile(budget(4))
    const found = await Promise.all(branches.map(({ children }) => children()))
    expect(listings).toStrictEqual(['/', '/a', '/b'])
    const admitted = [...found, ...found].map((each) => each.is === 'listed' && each.admit(1)())
    expect(found.map(({ is }) => is)).toStrictEqual(['listed', 'listed'])
    expect(admitted).toStrictEqual([true, false, false, false])
  })

  it('where the tree may be no deeper nothing is read', async () => {
    const { listings, branches } = await branchesWhile(depth(1))
    for (const { children } of branches) expect(await children()).toStrictEqual({ is: 'not expanded' })
    expect(listings).toStrictEqual(['/'])
  })

  it('they are the same each time they are read, with a gap for what is not shown', async () => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/a/f': 'private' }))
    const [first] = await childrenOfRoot(view, Tree.unbounded, storageOf([dir('a', file('e'), file('f'), file('g'))]))
    const found = first?.type === 'dir' ? await first.children() : undefined
    const shown = () => found?.is === 'listed' && Array.from(found.children, (child) => child?.name)
    expect([shown(), shown()]).toStrictEqual([
      ['e', undefined, 'g'],
      ['e', undefined, 'g'],
    ])
    expect(found).toMatchObject({ most: 3 })
  })
})

describe('a path must fit', () => {
  const storage = storageOf([dir('d'), file('f')])
  const asked = (at: string, mustBeDirectory: boolean) =>
    treeAt({ path: path(at), mustBeDirectory }, depth(0))(owner)(storage)()

  it('a file with a trailing slash is a type mismatch', async () => {
    expect(await asked('/f', true)).toStrictEqual(E.left(Failure.typeMismatch))
    expect(E.isRight(await asked('/f', false))).toBe(true)
  })

  it('a directory may have a trailing slash or none', async () => {
    expect(E.isRight(await asked('/d', true))).toBe(true)
    expect(E.isRight(await asked('/d', false))).toBe(true)
  })

  it('a path that runs through a file is a type mismatch', async () => {
    expect(await asked('/f/g', false)).toStrictEqual(E.left(Failure.typeMismatch))
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

  it('a missing path is not found', async () => {
    expect(await asked('/missing', true)).toStrictEqual(E.left(Failure.fileNotFound))
  })
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
