import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import type { WorldNode } from '../../testkit/src/World.js'
import * as Items from '../src/Items.js'
import { type Bounds, itemsAt, unbounded } from '../src/Items.js'
import type { Entry } from '../src/Listing.js'
import * as Listing from '../src/Listing.js'
import * as Name from '../src/Name.js'
import * as Settings from '../src/Settings.js'
import * as View from '../src/View.js'
import { area, dir, file, nodesOf, page, pageSizes, requestFor, set, settingsOf, storageOf, u64 } from './support.js'
import { succeeded } from './trees.js'

const itemsIn = async (
  nodes: ReadonlyArray<WorldNode>,
  view: View.View,
  some: Bounds,
  at = '/',
  pageEntries?: number,
) => succeeded(await itemsAt(some)(requestFor(view, at))(storageOf(nodes, pageEntries))())

const collected = async (...request: Parameters<typeof itemsIn>) =>
  succeeded(await Items.collect(await itemsIn(...request))())

const names = ({ items }: Pick<Items.CollectedItems, 'items'>) => items.map(({ name }) => name)

const owner = View.ofOwner(area, Settings.none)
const pageEntries = fc.constantFrom(...pageSizes)

describe('a listing holds the items directly in a directory', () => {
  it.each(pageSizes)('in byte order of their names, files and directories mixed, pages of %s', async (size) => {
    const nodes = [dir('b'), file('\u{1f600}'), file('a.'), dir('a'), dir('\uff5e'), file('ab'), file('a-b'), file('A')]
    expect(names(await collected(nodes, owner, unbounded, '/', size)).join(' ')).toBe(
      'A a a-b a. ab b \uff5e \u{1f600}',
    )
  })

  it.each(pageSizes)('with their visibility, and the size 0 for a directory, pages of %s', async (size) => {
    const view = View.ofVisitor(area, set({ '/d': 'hidden', '/d/f': 'public' }))
    const nodes = [dir('d', file('f', 5n), dir('e'))]
    expect((await collected(nodes, view, unbounded, '/d', size)).items).toStrictEqual([
      { visibility: { inherited: true, visibility: 'hidden' }, is_file: false, name: 'e', last_modified: 1n, size: 0n },
      { visibility: { inherited: false, visibility: 'public' }, is_file: true, name: 'f', last_modified: 1n, size: 5n },
    ])
  })

  it('is complete by default', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), pageEntries, async (account, size) => {
        const existing = nodesOf(account).filter(({ type }) => type === 'file' || type === 'dir')
        const listing = await collected(nodesOf(account), owner, unbounded, '/', size)
        expect([...names(listing)].sort()).toStrictEqual(existing.map(({ name }) => name).sort())
        expect(listing.more).toBe(false)
      }),
    )
  })
})

const pages = async (
  nodes: ReadonlyArray<WorldNode>,
  view: View.View,
  limit: number,
  size: number | undefined,
): Promise<ReadonlyArray<Items.CollectedItems>> => {
  const follow = async (sofar: ReadonlyArray<Items.CollectedItems>): Promise<ReadonlyArray<Items.CollectedItems>> => {
    const after = sofar.at(-1)?.items.at(-1)?.name
    const next = await collected(nodes, view, page({ limit, after }), '/', size)
    // A page that does not advance must fail the test, not stop it.
    return next.more && sofar.length < 100 ? follow([...sofar, next]) : [...sofar, next]
  }
  return follow([])
}

describe('limit and after page a listing', () => {
  const limit = fc.integer({ min: 1, max: 8 })

  it('the pages join to the whole listing, and each says whether the client would see more', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), limit, fc.boolean(), pageEntries, async (account, count, asOwner, size) => {
        const view = (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account))
        const whole = await collected(nodesOf(account), view, unbounded)
        const all = await pages(nodesOf(account), view, count, size)
        expect(all[0]).toStrictEqual({ items: whole.items.slice(0, count), more: whole.items.length > count })
        expect(all.flatMap(({ items }) => items)).toStrictEqual(whole.items)
        expect(all.slice(0, -1).map(({ items }) => items.length)).toStrictEqual(all.slice(1).map(() => count))
      }),
    )
  })

  it('after a name comes what follows it in byte order, whether it exists or not', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), anyName, pageEntries, async (account, after, size) => {
        const whole = await collected(nodesOf(account), owner, unbounded)
        const rest = await collected(nodesOf(account), owner, page({ after }), '/', size)
        const follows = (name: string) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0
        expect(rest).toStrictEqual({ items: whole.items.filter(({ name }) => follows(name)), more: false })
      }),
    )
  })
})

it('the number of items has an upper bound, which counts entries that are not shown', async () => {
  const many = Array.from({ length: 600 }, (_, index) => file(`${index}`.padStart(4, '0')))
  const visitor = View.ofVisitor(area, set({ '/': 'public', '/0001': 'private' }))
  const maxItems = async (view: View.View, some: Bounds, size?: number) =>
    (await itemsIn(many, view, some, '/', size)).maxItems
  expect(await maxItems(owner, unbounded)).toBe(600)
  expect(await maxItems(visitor, unbounded)).toBe(600)
  expect(await maxItems(visitor, unbounded, 7)).toBe(7)
  expect(await maxItems(owner, page({ limit: 700, after: '0589' }))).toBe(10)
  expect(await maxItems(owner, page({ after: 'z' }))).toBe(0)
})

const entries = fc
  .uniqueArray(anyName, { maxLength: 20 })
  .map((names) =>
    [...names].sort(Name.byBytes.compare).map((name): Entry => ({ type: 'dir', last_modified: u64(1n), name })),
  )

it('an entry of a listing is found by its name, and comes after a name that it follows in byte order', () => {
  fc.assert(
    fc.property(entries, fc.oneof(anyName, fc.constant('')), (all, other) => {
      const listing = { entries: all, unlistable: 0 }
      for (const entry of all) expect(Listing.named(listing, entry.name)).toStrictEqual(O.some(entry))
      expect(O.isSome(Listing.named(listing, other as Name.Name))).toBe(all.some(({ name }) => name === other))
      const before = all.filter((entry) => Name.byBytes.compare(entry.name, other) <= 0)
      expect(Listing.indexAfter(all, other)).toBe(before.length)
    }),
  )
})
