import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import type { Entries, Entry, Listing } from '../src/Listing.js'
import { listPages } from '../src/listPages.js'
import type { ListEnv, ListOptions } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import { area, dir, file, name, page, path, requestFor, set, storageOf, u64 } from './support.js'
import { bounds, budget, childrenOfRoot, collected, contentOf, expanded, owner } from './trees.js'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}`.padStart(3, '0')))

/** Logs the options of each call of `list` for one directory. */
const logging = (storage: ReturnType<typeof storageOf>, at: string) => {
  const calls: Array<ListOptions> = []
  const list: ListEnv['list'] = (of, on, options) => () => {
    if (on === path(at)) calls.push(options ?? {})
    return storage.list(of, on, options)()
  }
  return { calls, storage: { ...storage, list } }
}

const itemsOf = async (view: View.View, some: Items.Bounds, { list }: ListEnv) =>
  pipe(Items.itemsAt(some)(requestFor(view, '/'))({ list }), TE.flatMap(Items.collect))()

describe('a listing over pages', () => {
  it('requests one entry more than its limit, which tells whether another follows', async () => {
    const { calls, storage } = logging(storageOf(numbered(9), 1), '/')
    expect(await itemsOf(owner, page({ limit: 3, after: '001' }), storage)).toMatchObject(
      E.right({ items: [{ name: '002' }, { name: '003' }, { name: '004' }], more: true }),
    )
    expect(calls).toMatchObject([{ after: '001', minEntries: 4 }])
  })

  it.each([
    [1_000, 1_001],
    [1_001, undefined],
  ])(
    'with a limit of %i requires pages of %s: one call must not take longer for a larger limit',
    async (limit, min) => {
      const { calls, storage } = logging(storageOf(numbered(9), 4), '/')
      expect(await itemsOf(owner, page({ limit }), storage)).toMatchObject(
        E.right({ items: { length: 9 }, more: false }),
      )
      expect(calls[0]?.minEntries).toBe(min)
    },
  )

  it('passes each page on to the request for the next one', async () => {
    const { calls, storage } = logging(storageOf(numbered(5), 2), '/')
    await itemsOf(owner, Items.unbounded, storage)
    expect(calls.map(({ previous }) => previous?.next)).toStrictEqual([undefined, '001', '003'])
  })

  it('tells the server whether the storage has pages, even if a directory has one', async () => {
    const isPaged = async (pageEntries?: number) => {
      const items = await Items.itemsAt(Items.unbounded)(requestFor(owner, '/'))(storageOf(numbered(2), pageEntries))()
      return E.isRight(items) && items.right.isPaged
    }
    expect([await isPaged(), await isPaged(5)]).toStrictEqual([false, true])
  })

  it('leaves the size of pages to the adapter without a limit', async () => {
    const { calls, storage } = logging(storageOf(numbered(4), 2), '/')
    await itemsOf(owner, Items.unbounded, storage)
    expect(calls.map(({ after, minEntries }) => [after, minEntries])).toStrictEqual([
      [undefined, undefined],
      ['001', undefined],
    ])
  })

  it('stops requesting pages once its limit is exceeded, however many entries are hidden', async () => {
    const settings = set({ '/': 'public', '/000': 'private', '/001': 'private', '/002': 'private', '/004': 'private' })
    const { calls, storage } = logging(storageOf(numbered(30), 2), '/')
    const found = await itemsOf(View.ofVisitor(area, settings), page({ limit: 1 }), storage)
    expect(found).toMatchObject(E.right({ items: [{ name: '003' }], more: true }))
    expect(calls.map(({ after }) => after)).toStrictEqual([undefined, '001', '003'])
  })

  it('fails where a later page fails', async () => {
    const { list } = storageOf(numbered(4), 2)
    const failure = Failure.external('EIO')
    const fails: ListEnv['list'] = (of, on, options) =>
      options?.after === undefined ? list(of, on, options) : TE.left(failure)
    expect(await itemsOf(owner, Items.unbounded, { list: fails })).toStrictEqual(E.left(failure))
  })
})

describe('a page that does not advance', () => {
  const stuck = Failure.external(new Error('the storage returned a page that does not advance'))
  const storage = storageOf([dir('a', file('f')), file('b')])
  const endingAt = (at: string, next: string): ListEnv['list'] => {
    let calls = 0
    return (of, on, options) =>
      pipe(
        storage.list(of, on, options),
        TE.map((listing) => {
          calls += 1
          // Requests without an end must fail the test, not hold it.
          if (calls > 20) throw new Error('the same page was requested 20 times')
          return on === path(at) ? { ...listing, next } : listing
        }),
      )
  }

  it.each(['', 'b'])('is external in a listing: next is %j', async (next) => {
    expect(await itemsOf(owner, Items.unbounded, { list: endingAt('/', next) })).toStrictEqual(E.left(stuck))
  })

  it('is external in a listing that begins after its end', async () => {
    expect(await itemsOf(owner, page({ after: 'c' }), { list: endingAt('/', 'b') })).toStrictEqual(E.left(stuck))
  })

  it.each(['', 'b'])('is external for the requested directory of a tree: next is %j', async (next) => {
    const found = await collected('/', Tree.unbounded, owner, { ...storage, list: endingAt('/', next) })
    expect(found).toStrictEqual(E.left(stuck))
  })

  it('leaves a directory below it unreadable', async () => {
    const [first] = await childrenOfRoot(owner, Tree.unbounded, { ...storage, list: endingAt('/a', 'f') })
    expect(await expanded(first)).toStrictEqual(
      E.right({ is: 'not expanded', unreadable: { path: path('/a'), cause: stuck.cause } }),
    )
  })

  it.each(['', 'b'])('ends a program that reads all pages: next is %j', async (next) => {
    expect(await listPages(area, path('/'))({ list: endingAt('/', next) })()).toStrictEqual(E.left(stuck))
  })
})

describe('a page that repeats entries of the page before', () => {
  const whole = storageOf([dir('a', ...numbered(5))])
  const list: ListEnv['list'] = (of, on, { after } = {}) =>
    pipe(
      whole.list(of, on),
      TE.map(({ entries, unlistable }) => {
        const end = after === undefined ? 2 : Number(after) + 3
        const next = end < entries.length ? entries.at(end - 1)?.name : undefined
        return { entries: [...entries].slice(0, end), unlistable, next }
      }),
    )
  const all = ['000', '001', '002', '003', '004']

  it('adds only its new entries to a listing', async () => {
    const items = await Items.itemsAt(Items.unbounded)(requestFor(owner, '/a'))({ list })()
    const found = E.isRight(items) ? await Items.collect(items.right)() : items
    expect(found).toMatchObject(E.right({ items: all.map((each) => ({ name: each })) }))
  })

  it('adds only its new entries to a tree', async () => {
    const found = await collected('/a', Tree.unbounded, owner, { ...whole, list })
    expect(found).toMatchObject(E.right({ content: all.map((each) => ({ name: each })) }))
  })
})

it('a program reads all pages of a directory, from any name', async () => {
  const storage = storageOf(numbered(5), 2)
  const namesFrom = async (after?: string) => {
    const pages = await listPages(area, path('/'), { after })(storage)()
    return E.isRight(pages) && pages.right.map(({ entries }) => Array.from(entries, (entry) => entry.name))
  }
  expect(await namesFrom()).toStrictEqual([['000', '001'], ['002', '003'], ['004']])
  expect(await namesFrom('002')).toStrictEqual([['003', '004']])
})

it('a tree lets the adapter read ahead only where the settings hide nothing below a directory', async () => {
  const storage = storageOf([dir('a', dir('b', file('f')), dir('secret', file('f'))), dir('c', file('f'))])
  const readsAhead = async (view: View.View, bounds = Tree.unbounded) => {
    const allowed: Array<string> = []
    const list: ListEnv['list'] = (of, on, options) => () => {
      if (options?.parent !== undefined) allowed.push(on)
      return storage.list(of, on, options)()
    }
    await collected('/', bounds, view, { ...storage, list })
    return allowed
  }
  const visitor = (settings: Record<string, Visibility>) =>
    readsAhead(View.ofVisitor(area, set({ '/': 'public', ...settings })))
  const all = ['/', '/a', '/a/b', '/a/secret', '/c']
  expect(await visitor({})).toStrictEqual(all)
  expect(await visitor({ '/a/b': 'public' })).toStrictEqual(all)
  expect(await visitor({ '/a/secret': 'private' })).toStrictEqual(['/a/b', '/c'])
  expect(await visitor({ '/a/secret': 'hidden' })).toStrictEqual(['/a/b', '/c'])
  expect(await readsAhead(View.ofOwner(area, set({ '/': 'public', '/a/secret': 'private' })))).toStrictEqual(all)
  expect(await readsAhead(owner, bounds({ depth: 3 }))).toStrictEqual([])
  const many = Object.fromEntries(
    Array.from({ length: 1_001 }, (_, index) => [`/elsewhere/${index}`, 'public'] as const),
  )
  expect(await visitor(many)).toStrictEqual([])
})

describe('a directory of several pages in a tree', () => {
  const contentsOf = async (nodes: number, storage: ReturnType<typeof storageOf>, view = owner) => {
    const tree = await collected('/', budget(nodes), view, storage)
    return E.isRight(tree) && tree.right.type === 'dir' ? tree.right.content?.map(contentOf) : tree
  }

  it.each([
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

  it('is read on while its visible children fill the budget exactly', async () => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/a/002': 'private', '/a/003': 'private' }))
    expect(await contentsOf(4, storageOf([dir('a', ...numbered(4))], 2), view)).toStrictEqual([['000', '001']])
  })

  it('is read to its end while the client would see none of it', async () => {
    const hidden = set({
      '/': 'public',
      ...Object.fromEntries(numbered(20).map((each) => [`/a/${each.name}`, 'hidden'])),
    })
    const { calls, storage } = logging(storageOf([dir('a', ...numbered(20), file('x'))], 2), '/a')
    expect(await contentsOf(3, storage, View.ofVisitor(area, hidden))).toStrictEqual([['x']])
    expect(calls.length).toBe(11)
  })

  it('shows nothing of its first page where a later one fails', async () => {
    const paged = storageOf([dir('a', ...numbered(4)), file('b')], 2)
    const list: ListEnv['list'] = (of, on, options) =>
      on === path('/a') && options?.after !== undefined ? TE.left(Failure.external('EIO')) : paged.list(of, on, options)
    const [first] = await childrenOfRoot(owner, Tree.unbounded, { ...paged, list })
    expect(await expanded(first)).toStrictEqual(
      E.right({ is: 'not expanded', unreadable: { path: path('/a'), cause: 'EIO' } }),
    )
    expect(await treeAt(Tree.unbounded)(requestFor(owner, '/a'))({ ...paged, list })()).toStrictEqual(
      E.left(Failure.external('EIO')),
    )
  })

  it('decides each entry at most twice, however many pages it has', async () => {
    let decided = 0
    const watched = (entry: Entry): Entry => ({
      ...entry,
      get name() {
        decided += 1
        return entry.name
      },
    })
    const all = Array.from(
      { length: 200 },
      (_, index): Entry => ({
        type: 'file',
        name: name(`${index}`.padStart(3, '0')),
        size: u64(1n),
        last_modified: u64(1n),
      }),
    )
    const list: ListEnv['list'] = (_, __, { after } = {}) =>
      TE.fromIO((): Listing => {
        const start = after === undefined ? 0 : Number(after) + 1
        const entries: Entries = all.slice(start, start + 2).map(watched)
        return { entries, unlistable: 0, next: start + 2 < all.length ? all[start + 1]?.name : undefined }
      })
    const nobody: View.View = { area, settings: set({}), shows: () => false, reaches: () => true }
    const nodeAt = () => TE.right({ type: 'dir', last_modified: u64(1n) } as const)
    expect(await collected('/', budget(9), nobody, { nodeAt, list })).toMatchObject(E.right({ content: [] }))
    // Finding the start of a page reads two names.
    expect(decided).toBeLessThanOrEqual(4 * all.length)
  })
})
