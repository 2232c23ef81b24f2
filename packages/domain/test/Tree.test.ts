import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import * as Failure from '../src/Failure.js'
import type { Node } from '../src/Listing.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as U64 from '../src/U64.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import {
  area,
  dir,
  file,
  invalidNumbers,
  logging,
  name,
  nodesOf,
  numbered,
  pageSizes,
  path,
  rulesOf,
  set,
  settingsOf,
  shouldNotBeCalled,
  storageOf,
  u64,
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
  succeeded,
} from './trees.js'

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

describe('the bounds of a tree', () => {
  it.each(invalidNumbers)('refuse a depth of %j', (levels) => {
    expect(Tree.bounds({ depth: levels })).toStrictEqual(E.left('depth'))
  })

  it.each([Number.NaN, -1, 0, 1.5])('refuse %d nodes', (nodes) => {
    expect(Tree.bounds({ depth: 1, nodes })).toStrictEqual(E.left('nodes'))
  })

  it.each([0, '0', 3, '3'])('accept a depth of at least 0: %j', (levels) => {
    const valid = { depth: O.some(Number(levels)), nodes: 1, lines: O.none }
    expect(Tree.bounds({ depth: levels, nodes: 1 })).toStrictEqual(E.right(valid))
  })

  it('are absent by default', () => {
    expect(Tree.bounds({})).toStrictEqual(E.right(Tree.unbounded))
  })
})

describe('depth bounds the levels of children', () => {
  it('0 returns the node alone without listing it', async () => {
    const storage = { ...storageOf([dir('d', file('f'))]), list: shouldNotBeCalled }
    expect(await collected('/d', depth(0), owner, storage)).toStrictEqual(
      E.right({ type: 'dir', name: 'd', visibility: { inherited: true, visibility: 'private' } }),
    )
  })
})

const contentsOf = async (nodes: number, storage: NodeAtEnv & ListEnv, view = owner) =>
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

  it('and still expands an empty directory when it is spent', async () => {
    expect(await collected('/d', budget(1), owner, storageOf([dir('d')]))).toMatchObject(E.right({ content: [] }))
  })

  it.each(pageSizes)('and counts only visible nodes, with pages of %s', async (size) => {
    const storage = storageOf([file('a'), file('b'), file('c')], size)
    const found = await collected('/', budget(2), visitorOf({ '/a': 'private', '/b': 'hidden' }), storage)
    expect(found).toMatchObject(E.right({ content: [{ name: 'c' }] }))
  })

  it.each(pageSizes)('and passes on what a large directory cannot use, with pages of %s', async (size) => {
    const storage = storageOf([dir('a', ...numbered(3)), dir('b', file('1'))], size)
    expect(await contentsOf(4, storage)).toStrictEqual(['not expanded', ['1']])
  })
})

describe('a directory of several pages', () => {
  it.each<[number, unknown]>([
    [7, ['000', '001', '002', '003', '004']],
    [6, 'not expanded'],
  ])('is whole or not expanded: a budget of %i', async (nodes, content) => {
    expect(await contentsOf(nodes, storageOf([dir('a', ...numbered(5))], 2))).toStrictEqual([content])
  })

  it('is read only until its visible children exceed the budget', async () => {
    const { calls, storage } = logging(storageOf([dir('a', ...numbered(100))], 2), '/a')
    expect(await contentsOf(5, storage)).toStrictEqual(['not expanded'])
    expect(calls.map(({ after }) => after)).toStrictEqual([undefined, '001'])
  })

  it('is read to its end if its visible children fill the budget exactly', async () => {
    const view = visitorOf({ '/a/002': 'private', '/a/003': 'private' })
    expect(await contentsOf(4, storageOf([dir('a', ...numbered(4))], 2), view)).toStrictEqual([['000', '001']])
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

  it('is unreadable if a page does not advance', async () => {
    const one = storageOf([dir('a', file('f')), file('b')])
    const list: ListEnv['list'] = (of, on, options) =>
      pipe(
        one.list(of, on, options),
        TE.map((listing) => (on === path('/a') ? { ...listing, next: 'f' } : listing)),
      )
    const [first] = await childrenOfRoot(owner, Tree.unbounded, { ...one, list })
    const cause = new Error('the storage returned a page that does not advance')
    expect(await expanded(first)).toStrictEqual(E.right({ is: 'not expanded', unreadable: { path: '/a', cause } }))
  })
})

describe.each(pageSizes)('changes of the storage during the walk, pages of %s', (size) => {
  const nodes = [dir('a', file('f')), dir('b', file('g'))]
  const disk = Failure.external('EIO')
  const failingAt = (at: string, failure: Failure.OfStorage, storage = storageOf(nodes, size)) => {
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

  it.each([
    ['is not found', TE.left(Failure.fileNotFound)],
    ['is below a file', TE.left(Failure.typeMismatch)],
    ['cannot be read', TE.left(disk)],
    ['is a file', TE.right<never, Node>({ type: 'file', size: U64.zero, last_modified: U64.zero })],
  ] as const)('nothing is omitted if the requested node now %s', async (_, later) => {
    const found = await collected('/', Tree.unbounded, owner, topBecoming(later))
    expect(found).toMatchObject(E.right({ content: [notExpanded, other] }))
  })

  it('a requested directory must be readable unless it is requested alone', async () => {
    for (const some of [Tree.unbounded, depth(1), budget(1)])
      expect(await collected('/a', some, owner, failingAt('/a', disk))).toStrictEqual(E.left(disk))
    expect(await collected('/a', depth(0), owner, failingAt('/a', disk))).toStrictEqual(E.right(notExpanded))
  })

  it('an unreadable directory is not expanded and leaves the budget alone', async () => {
    const some = storageOf([dir('a', ...numbered(3)), dir('b', ...numbered(2))], size)
    expect(await contentsOf(5, failingAt('/a', disk, some))).toStrictEqual(['not expanded', ['000', '001']])
  })

  const firstBelow = async (view: View.View, storage: NodeAtEnv & ListEnv) =>
    succeeded(await expanded((await childrenOfRoot(view, Tree.unbounded, storage))[0]))

  it('an unreadable directory has its path and the cause for the log', async () => {
    const unreadable = { is: 'not expanded', unreadable: { path: '/a', cause: 'EIO' } }
    expect(await firstBelow(owner, failingAt('/a', disk))).toStrictEqual(unreadable)
    expect(await firstBelow(owner, topBecoming(TE.left(disk)))).toStrictEqual(unreadable)
    const gone = await firstBelow(owner, topBecoming(TE.left(Failure.fileNotFound)))
    const cause = new Error('the requested directory was removed while its tree was being read')
    expect(gone).toStrictEqual({ is: 'not expanded', unreadable: { path: '/a', cause } })
  })

  it('an entry that cannot be examined makes its directory unreadable if the client may see it', async () => {
    const storage = storageOf(nodes, size)
    const list: ListEnv['list'] = (in_, on, options) =>
      pipe(
        storage.list(in_, on, options),
        TE.map((listing) =>
          on === '/a' ? { ...listing, unknown: { names: [name('u'), name('v')], cause: 'EIO' } } : listing,
        ),
      )
    for (const other of ['private', 'hidden'] as const) {
      const view = visitorOf({ '/a/u': 'private', '/a/v': other })
      expect(await firstBelow(view, { ...storage, list })).toMatchObject({ is: 'listed', maxChildren: 1 })
    }
    for (const view of [visitorOf({}), visitorOf({ '/a/u': 'private' }), owner])
      expect(await firstBelow(view, { ...storage, list })).toMatchObject({ unreadable: { cause: 'EIO' } })
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
  const ruled = Settings.withRules(rulesOf(['node_*', 'private']))(set({ '/': 'public' }))
  const many = (count: number) =>
    Object.fromEntries(numbered(count).map((each) => [`/elsewhere/${each.name}`, 'public'] as const))

  it.each<[string, View.View, Tree.Bounds, ReadonlyArray<string>, string?]>([
    ['where nothing is hidden', visitorOf({}), Tree.unbounded, all],
    ['beside a public setting', visitorOf({ '/a/b': 'public' }), Tree.unbounded, all],
    ['except above a private path', visitorOf({ '/a/secret': 'private' }), Tree.unbounded, ['/a/b', '/c']],
    ['except above a hidden path', visitorOf({ '/a/secret': 'hidden' }), Tree.unbounded, ['/a/b', '/c']],
    ['everywhere for the owner', View.ofOwner(area, set({ '/a/secret': 'private' })), Tree.unbounded, all],
    ['nowhere beside a rule', View.ofVisitor(area, ruled), Tree.unbounded, []],
    ['everywhere for the owner of rules', View.ofOwner(area, ruled), Tree.unbounded, all],
    ['nowhere with a depth', owner, depth(3), []],
    [
      'below a hidden path that is requested by name',
      visitorOf({ '/a': 'hidden' }),
      Tree.unbounded,
      ['/a', '/a/b', '/a/secret'],
      '/a',
    ],
    ['among 1,000 settings', visitorOf(many(999)), Tree.unbounded, all],
    ['nowhere among more than 1,000 settings', visitorOf(many(1_000)), Tree.unbounded, []],
  ])('%s', async (_, view, some, expected, at = '/') => {
    const storage = storageOf(content)
    const allowed: Array<string> = []
    const list: ListEnv['list'] = (of, on, options) => () => {
      if (options?.parent !== undefined) allowed.push(on)
      return storage.list(of, on, options)()
    }
    await collected(at, some, view, { ...storage, list })
    // Below the secret, the visitor's walk does not arrive.
    expect(allowed).toStrictEqual(expected)
  })
})
