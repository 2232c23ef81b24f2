import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import type { WorldNode } from '../../testkit/src/World.js'
import type * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { itemsAt, type Page, wholeListing } from '../src/Items.js'
import type { Entry } from '../src/Listing.js'
import * as Listing from '../src/Listing.js'
import * as Name from '../src/Name.js'
import * as Settings from '../src/Settings.js'
import * as View from '../src/View.js'
import { area, dir, file, nodesOf, path, set, settingsOf, storageOf, u64 } from './support.js'

const itemsIn = (nodes: ReadonlyArray<WorldNode>, view: View.View, page: Page, at = '/') =>
  itemsAt({ path: path(at), mustBeDirectory: false }, page)(view)(storageOf(nodes))()

type Whole = ReturnType<typeof Items.collect>

const unfolding = (answer: E.Either<Failure.Failure, Items.Items>): Items.Items =>
  E.getOrElse((failure: Failure.Failure): Items.Items => expect.fail(failure.error))(answer)

const succeeded = (answer: E.Either<Failure.Failure, Items.Items>): Whole => Items.collect(unfolding(answer))

const names = ({ items }: Pick<Whole, 'items'>) => items.map(({ name }) => name)

const owner = View.ofOwner(area, Settings.none)

describe('a listing holds the items directly in a directory', () => {
  it('in byte order of their names, files and directories mixed', async () => {
    const nodes = [dir('b'), file('\u{1f600}'), file('a.'), dir('a'), dir('\uff5e'), file('ab'), file('a-b'), file('A')]
    expect(names(succeeded(await itemsIn(nodes, owner, wholeListing))).join(' ')).toBe(
      'A a a-b a. ab b \uff5e \u{1f600}',
    )
  })

  it('with their visibility, and the size 0 for a directory', async () => {
    const view = View.ofOwner(area, set({ '/d': 'hidden', '/d/f': 'public' }))
    const nodes = [dir('d', file('f', 5n), dir('e'))]
    expect(succeeded(await itemsIn(nodes, view, wholeListing, '/d')).items).toStrictEqual([
      { visibility: { inherited: true, visibility: 'hidden' }, is_file: false, name: 'e', last_modified: 1n, size: 0n },
      { visibility: { inherited: false, visibility: 'public' }, is_file: true, name: 'f', last_modified: 1n, size: 5n },
    ])
  })

  it('is complete by default', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), async (account) => {
        const existing = nodesOf(account).filter(({ type }) => type === 'file' || type === 'dir')
        const listing = succeeded(await itemsIn(nodesOf(account), owner, wholeListing))
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
): Promise<ReadonlyArray<Whole>> => {
  const follow = async (sofar: ReadonlyArray<Whole>): Promise<ReadonlyArray<Whole>> => {
    const after = O.fromNullable(sofar.at(-1)?.items.at(-1)?.name)
    const page = succeeded(await itemsIn(nodes, view, { limit: O.some(limit), after }))
    // A page that does not advance must fail the test, not stop it.
    return page.more && sofar.length < 100 ? follow([...sofar, page]) : [...sofar, page]
  }
  return follow([])
}

describe('limit and after page a listing', () => {
  const limit = fc.integer({ min: 1, max: 8 })

  it('the pages one after another are the whole listing; each says whether the asker would see more', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), limit, fc.boolean(), async (account, size, asOwner) => {
        const view = (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account))
        const whole = succeeded(await itemsIn(nodesOf(account), view, wholeListing))
        const all = await pages(nodesOf(account), view, size)
        expect(all[0]).toStrictEqual({ items: whole.items.slice(0, size), more: whole.items.length > size })
        expect(all.flatMap(({ items }) => items)).toStrictEqual(whole.items)
        expect(all.slice(0, -1).map(({ items }) => items.length)).toStrictEqual(all.slice(1).map(() => size))
      }),
    )
  })

  it('after a name comes what follows it in byte order, whether it exists or not', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), anyName, async (account, after) => {
        const whole = succeeded(await itemsIn(nodesOf(account), owner, wholeListing))
        const rest = succeeded(await itemsIn(nodesOf(account), owner, { limit: O.none, after: O.some(after) }))
        const follows = (name: string) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0
        expect(rest).toStrictEqual({ items: whole.items.filter(({ name }) => follows(name)), more: false })
      }),
    )
  })
})

it('items may be fewer than the entries of their listing: how many they are at most is known before', async () => {
  const many = Array.from({ length: 600 }, (_, index) => file(`${index}`.padStart(4, '0')))
  const visitor = View.ofVisitor(area, set({ '/': 'public', '/0001': 'private' }))
  const mostOf = async (view: View.View, page: Page) => unfolding(await itemsIn(many, view, page)).most
  expect(await mostOf(owner, wholeListing)).toBe(600)
  expect(await mostOf(visitor, wholeListing)).toBe(600)
  expect(await mostOf(owner, { limit: O.some(7), after: O.none })).toBe(7)
  expect(await mostOf(owner, { limit: O.some(700), after: O.some('0589') })).toBe(10)
  expect(await mostOf(owner, { limit: O.none, after: O.some('z') })).toBe(0)
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
