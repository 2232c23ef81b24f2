import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import type { Node } from '../src/Entry.js'
import * as Failure from '../src/Failure.js'
import type { Listing } from '../src/Listing.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import * as U64 from '../src/U64.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import {
  area,
  dir,
  file,
  logging,
  name,
  nodesOf,
  numbered,
  pageSizes,
  path,
  set,
  settingsOf,
  shouldNotBeCalled,
  storageOf,
  succeeded,
  u64,
  withRules,
} from './support.js'
import {
  alone,
  always,
  bounds,
  budget,
  childrenOf,
  childrenOfRoot,
  collected,
  contentOf,
  depth,
  expanded,
  flat,
  owner,
} from './trees.js'

type Storage = NodeAtEnv & ListEnv

const unbounded = fc.constant(Tree.unbounded)
const visitorOf = (settings: Readonly<Record<string, Visibility>>) =>
  View.ofVisitor(area, set({ '/': 'public', ...settings }))

describe('a tree is the whole visible subtree', () => {
  it('however many pages the storage returns, also within a budget', () => {
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

  it('whose root is a directory, whatever the storage says', async () => {
    const nodeAt = () => TE.right({ type: 'file', size: u64(1n), last_modified: u64(1n) } as const)
    expect(await collected('/', depth(0), owner, { nodeAt, list: shouldNotBeCalled })).toStrictEqual(
      E.right({ type: 'dir', name: '', visibility: { inherited: false, visibility: 'private' } }),
    )
  })
})

const storage = { ...storageOf([dir('d', file('f', 3n))]), list: shouldNotBeCalled }
const visibility = { inherited: true, visibility: 'private' }

it.each([
  ['a depth of 0 returns a directory alone', '/d', { type: 'dir', name: 'd' }],
  ['a file is its whole tree', '/d/f', { type: 'file', name: 'f', size: 3n, last_modified: 1n }],
])('without a listing: %s', async (_, at, node) => {
  expect(await collected(at, depth(0), owner, storage)).toStrictEqual(E.right({ ...node, visibility }))
})

const contentsOf = async (nodes: number, storage: Storage, view = owner) =>
  childrenOf(succeeded(await collected('/', budget(nodes), view, storage))).map(contentOf)

describe('a node budget bounds the whole answer', () => {
  const limits = fc
    .record({ nodes: fc.integer({ min: 1, max: 25 }), depth: fc.option(fc.nat({ max: 4 }), { nil: undefined }) })
    .map(bounds)

  it('to that many nodes; a directory has all its visible children or no content', () =>
    always(limits, ({ whole, bounded, bounds: { nodes } }) => {
      expect(bounded.length).toBeLessThanOrEqual(nodes)
      const full = new Map(whole.map((each) => [each.path, each.node]))
      for (const { node, path: on } of bounded) {
        expect(alone(node)).toStrictEqual(alone(full.get(on)))
        expect([contentOf(full.get(on)), 'not expanded']).toContainEqual(contentOf(node))
      }
    }))

  it('and suffices for a tree of that many nodes', () =>
    always(unbounded, async ({ whole, at, view, storage }) => {
      const enough = await collected(at, budget(whole.length), view, storage)
      expect(E.isRight(enough) && flat(enough.right, at)).toStrictEqual(whole)
    }))

  it.each(pageSizes)('and passes on what a large directory cannot use, with pages of %s', async (size) => {
    const storage = storageOf([dir('a', ...numbered(3)), dir('b', file('1'))], size)
    expect(await contentsOf(4, storage)).toStrictEqual(['not expanded', ['1']])
  })
})

describe('a directory of several pages', () => {
  it('is read only until its visible children exceed the budget', async () => {
    const { calls, storage } = logging(storageOf([dir('a', ...numbered(100))], 2), '/a')
    expect(await contentsOf(5, storage)).toStrictEqual(['not expanded'])
    expect(calls.map(({ after }) => after)).toStrictEqual([undefined, '001'])
  })

  it('is unreadable if a later page fails; the requested one fails', async () => {
    const paged = storageOf([dir('a', ...numbered(4)), file('b')], 2)
    const list: ListEnv['list'] = (of, on, options) =>
      on === path('/a') && options?.after !== undefined ? TE.left(Failure.external('EIO')) : paged.list(of, on, options)
    const storage = { ...paged, list }
    const [first] = await childrenOfRoot(owner, Tree.unbounded, storage)
    const unreadable = { path: path('/a'), cause: 'EIO' }
    expect(await expanded(first)).toStrictEqual(E.right({ is: 'not expanded', unreadable }))
    expect(await collected('/a', Tree.unbounded, owner, storage)).toStrictEqual(E.left(Failure.external('EIO')))
  })
})

describe.each(pageSizes)('changes of the storage during the walk, pages of %s', (size) => {
  const nodes = [dir('a', file('f')), dir('b', file('g'))]
  const disk = Failure.external('EIO')
  const failingAt = (at: string, failure: Failure.OfStorage, storage: Storage = storageOf(nodes, size)) => {
    const list: ListEnv['list'] = (in_, on, options) => (on === at ? TE.left(failure) : storage.list(in_, on, options))
    return { ...storage, list }
  }
  const notExpanded = { type: 'dir', name: 'a', visibility: { inherited: true, visibility: 'private' } }
  const other = { name: 'b', content: [{ name: 'g' }] }

  it.each([Failure.fileNotFound, Failure.typeMismatch])(
    'a directory that vanishes or becomes a file is omitted: $error',
    async (failure) => {
      const found = await collected('/', Tree.unbounded, owner, failingAt('/a', failure))
      expect(found).toMatchObject(E.right({ content: [other] }))
      expect(await collected('/a', Tree.unbounded, owner, failingAt('/a', failure))).toStrictEqual(
        E.left(Failure.fileNotFound),
      )
    },
  )

  /** The requested node exists at first, and later is this. */
  const topBecoming = (later: ReturnType<NodeAtEnv['nodeAt']>) => {
    const storage = failingAt('/a', Failure.fileNotFound)
    const asked: Array<string> = []
    const nodeAt: NodeAtEnv['nodeAt'] = (in_, on) => async () => {
      asked.push(on)
      return asked.length === 1 ? storage.nodeAt(in_, on)() : later()
    }
    return { ...storage, nodeAt }
  }

  const firstBelow = async (storage: Storage) =>
    succeeded(await expanded((await childrenOfRoot(owner, Tree.unbounded, storage))[0]))
  const gone = new Error('the requested directory was removed while its tree was being read')

  it.each([
    ['is not found', TE.left(Failure.fileNotFound), gone],
    ['is below a file', TE.left(Failure.typeMismatch), gone],
    ['cannot be read', TE.left(disk), 'EIO'],
    ['is a file', TE.right<never, Node>({ type: 'file', size: U64.zero, last_modified: U64.zero }), gone],
  ] as const)('a directory that vanishes is unreadable if the requested node now %s', async (_, later, cause) => {
    const found = await collected('/', Tree.unbounded, owner, topBecoming(later))
    expect(found).toMatchObject(E.right({ content: [notExpanded, other] }))
    const unreadable = { is: 'not expanded', unreadable: { path: '/a', cause } }
    expect(await firstBelow(topBecoming(later))).toStrictEqual(unreadable)
  })

  it('a requested directory must be readable unless it is requested alone', async () => {
    for (const some of [Tree.unbounded, depth(1), budget(1)])
      expect(await collected('/a', some, owner, failingAt('/a', disk))).toStrictEqual(E.left(disk))
    expect(await collected('/a', depth(0), owner, failingAt('/a', disk))).toStrictEqual(E.right(notExpanded))
  })

  const withUnknown = (storage: Storage): Storage => {
    const unknown = { names: [name('x')], cause: 'EIO' }
    const list: ListEnv['list'] = (in_, on, options) =>
      TE.map((page: Listing) => (on === '/a' ? { ...page, unknown } : page))(storage.list(in_, on, options))
    return { ...storage, list }
  }

  it.each([
    ['that cannot be listed', (storage: Storage) => failingAt('/a', disk, storage)],
    ['with an entry that cannot be examined', withUnknown],
  ])('a directory %s is not expanded, has a cause, and leaves the budget alone', async (_, breaking) => {
    const some = storageOf([dir('a', ...numbered(3)), dir('b', ...numbered(2))], size)
    expect(await contentsOf(5, breaking(some))).toStrictEqual(['not expanded', ['000', '001']])
    const unreadable = { path: '/a', cause: 'EIO' }
    expect(await firstBelow(breaking(some))).toStrictEqual({ is: 'not expanded', unreadable })
  })
})

describe('a consumer that reads the children of directories early', () => {
  const storage = storageOf([dir('a', file('f')), dir('b', file('g'))])
  const readEarly = async (some: Tree.Bounds) => {
    const listings: Array<string> = []
    const list: ListEnv['list'] = (in_, on, options) => () => {
      listings.push(on)
      return storage.list(in_, on, options)()
    }
    const children = await childrenOfRoot(owner, some, { ...storage, list })
    return { listings, found: (await Promise.all(children.map(expanded))).map(succeeded) }
  }

  it('leaves the budget alone before it admits them', async () => {
    const { listings, found } = await readEarly(budget(4))
    expect(listings).toStrictEqual(['/', '/a', '/b'])
    const admitted = [...found, ...found].map((each) => each.is === 'listed' && each.admit(1)())
    expect(admitted).toStrictEqual([true, false, false, false])
  })

  it('does not read beyond the depth', async () => {
    const { listings, found } = await readEarly(depth(1))
    expect([listings, found]).toStrictEqual([['/'], [{ is: 'not expanded' }, { is: 'not expanded' }]])
  })
})

describe('an adapter may read ahead', () => {
  const content = [dir('a', dir('b', file('f')), dir('secret', file('f'))), dir('c', file('f'))]
  const all = ['/', '/a', '/a/b', '/a/secret', '/c']
  const many = (count: number) =>
    Object.fromEntries(numbered(count).map((each) => [`/elsewhere/${each.name}`, 'public'] as const))

  /** The directories below which it may. */
  const allowed = async (view: View.View, at = '/', some = Tree.unbounded): Promise<ReadonlyArray<string>> => {
    const storage = storageOf(content)
    const directories: Array<string> = []
    const list: ListEnv['list'] = (of, on, options) => () => {
      if (options?.parent !== undefined) directories.push(on)
      return storage.list(of, on, options)()
    }
    await collected(at, some, view, { ...storage, list })
    return directories
  }

  it.each<[string, View.View, ReadonlyArray<string>, string?, Tree.Bounds?]>([
    ['where nothing is hidden', visitorOf({}), all],
    ['beside a public setting', visitorOf({ '/a/b': 'public' }), all],
    ['except above a private path', visitorOf({ '/a/secret': 'private' }), ['/a/b', '/c']],
    ['except above a hidden path', visitorOf({ '/a/secret': 'hidden' }), ['/a/b', '/c']],
    ['everywhere for the owner', View.ofOwner(area, set({ '/a/secret': 'private' })), all],
    ['nowhere with a depth', owner, [], '/', depth(3)],
    ['below a hidden path that is requested by name', visitorOf({ '/a': 'hidden' }), ['/a', '/a/b', '/a/secret'], '/a'],
    ['among 1,000 settings', visitorOf(many(999)), all],
    ['nowhere among more than 1,000 settings', visitorOf(many(1_000)), []],
  ])('%s', async (_, view, expected, at, some) => {
    // Below the secret, the visitor's walk does not arrive.
    expect(await allowed(view, at, some)).toStrictEqual(expected)
  })

  it('nowhere for the visitors of an area with a rule, and everywhere for its owner', async () => {
    const ruled = withRules(set({ '/': 'public' }), ['node_*', 'private'])
    expect(await allowed(View.ofVisitor(area, ruled))).toStrictEqual([])
    expect(await allowed(View.ofOwner(area, ruled))).toStrictEqual(all)
  })
})
