import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import type { Node } from '../src/Listing.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import * as U64 from '../src/U64.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import { area, dir, file, name, pageSizes, set, storageOf } from './support.js'
import { budget, childrenOfRoot, collected, depth, expanded, owner, succeeded } from './trees.js'

describe.each(pageSizes)('changes of the storage during the walk, pages of %s', (size) => {
  const nodes = [dir('a', file('f')), dir('b', file('g'))]
  const failingAt = (at: string, failure: Failure.OfStorage, storage = storageOf(nodes, size)) => {
    const list: ListEnv['list'] = (in_, on, options) => (on === at ? TE.left(failure) : storage.list(in_, on, options))
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

  /** The node at the top is there when it is asked for, and is this when it is looked at again. */
  const topBecoming = (then: ReturnType<NodeAtEnv['nodeAt']>) => {
    const storage = failingAt('/a', Failure.fileNotFound)
    const asked: Array<string> = []
    const nodeAt: NodeAtEnv['nodeAt'] = (in_, on) => async () => {
      asked.push(on)
      return asked.length === 1 ? storage.nodeAt(in_, on)() : then()
    }
    return { asked, storage: { ...storage, nodeAt } }
  }

  it.each([
    ['is not found', TE.left(Failure.fileNotFound)],
    ['is below a file', TE.left(Failure.typeMismatch)],
    ['cannot be read', TE.left(Failure.external('EIO'))],
    ['is a file', TE.right<never, Node>({ type: 'file', size: U64.zero, last_modified: U64.zero })],
  ] as const)('where the node that was asked for %s by then, nothing is left out', async (_, then) => {
    const { asked, storage } = topBecoming(then)
    expect(await collected('/', Tree.unbounded, owner, storage)).toMatchObject(
      E.right({ content: [notExpanded, { name: 'b', content: [{ name: 'g' }] }] }),
    )
    expect(asked.length).toBe(2)
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
    const some = storageOf([dir('a', file('1'), file('2'), file('3')), dir('b', file('1'), file('2'))], size)
    const found = await collected('/', budget(5), owner, failingAt('/a', Failure.external('EIO'), some))
    expect(found).toMatchObject(E.right({ content: [notExpanded, { content: [{ name: '1' }, { name: '2' }] }] }))
  })

  /** What the first directory below the root turns out to be. */
  const firstBelow = async (view: View.View, storage: NodeAtEnv & ListEnv) => {
    const [first] = await childrenOfRoot(view, Tree.unbounded, storage)
    return succeeded(await expanded(first))
  }

  it('gives its path and the cause for the log, also if the requested node is unreadable by then', async () => {
    const unreadable = { is: 'not expanded', unreadable: { path: '/a', cause: 'EIO' } }
    expect(await firstBelow(owner, failingAt('/a', Failure.external('EIO')))).toStrictEqual(unreadable)
    expect(await firstBelow(owner, topBecoming(TE.left(Failure.external('EIO'))).storage)).toStrictEqual(unreadable)
  })

  it('whether it is expanded depends for a visitor on what they may see alone', async () => {
    const storage = storageOf(nodes, size)
    const list: ListEnv['list'] = (in_, on, options) =>
      pipe(
        storage.list(in_, on, options),
        TE.map((listing) => (on === '/a' ? { ...listing, unknown: { names: [name('u')], cause: 'EIO' } } : listing)),
      )
    const visitor = (u: Visibility) => View.ofVisitor(area, set({ '/': 'public', '/a/u': u }))
    for (const view of [visitor('private'), visitor('hidden')])
      expect(await firstBelow(view, { ...storage, list })).toMatchObject({ is: 'listed', maxChildren: 1 })
    for (const view of [visitor('public'), owner])
      expect(await firstBelow(view, { ...storage, list })).toMatchObject({ unreadable: { cause: 'EIO' } })
  })
})

describe('the children of a directory may be asked for early', () => {
  const storage = storageOf([dir('a', file('f')), dir('b', file('g'))])
  const branchesWhile = async (bounds: Tree.Bounds) => {
    const listings: Array<string> = []
    const list: ListEnv['list'] = (in_, on, options) => () => {
      listings.push(on)
      return storage.list(in_, on, options)()
    }
    const children = await childrenOfRoot(owner, bounds, { ...storage, list })
    return { listings, branches: children.filter((child) => child.type === 'dir') }
  }

  it('to ask reads, and takes nothing from the budget: it is spent in the order of admitting', async () => {
    const { listings, branches } = await branchesWhile(budget(4))
    const found = (await Promise.all(branches.map(expanded))).map(succeeded)
    expect(listings).toStrictEqual(['/', '/a', '/b'])
    const admitted = [...found, ...found].map((each) => each.is === 'listed' && each.admit(1)())
    expect(found.map(({ is }) => is)).toStrictEqual(['listed', 'listed'])
    expect(admitted).toStrictEqual([true, false, false, false])
  })

  it('where the tree may be no deeper nothing is read', async () => {
    const { listings, branches } = await branchesWhile(depth(1))
    for (const { children } of branches) expect(await children()).toStrictEqual(E.right({ is: 'not expanded' }))
    expect(listings).toStrictEqual(['/'])
  })

  it.each(pageSizes)('reading again gives the same, with a gap for a child not shown, pages of %s', async (size) => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/a/f': 'private' }))
    const nodes = [dir('a', file('e'), file('f'), file('g'))]
    const [first] = await childrenOfRoot(view, Tree.unbounded, storageOf(nodes, size))
    const found = succeeded(await expanded(first))
    const shown = () => found.is === 'listed' && Array.from(found.children, (child) => child?.name)
    expect([shown(), shown()]).toStrictEqual([
      ['e', undefined, 'g'],
      ['e', undefined, 'g'],
    ])
    expect(found).toMatchObject({ maxChildren: 3 })
  })
})
