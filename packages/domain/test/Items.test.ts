import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { unbounded } from '../src/Items.js'
import * as Listing from '../src/Listing.js'
import { listPages } from '../src/listPages.js'
import * as Name from '../src/Name.js'
import type { ListEnv } from '../src/ports.js'
import * as View from '../src/View.js'
import {
  area,
  dir,
  file,
  logging,
  numbered,
  page,
  path,
  requestFor,
  set,
  storageOf,
  succeeded,
  u64,
} from './support.js'
import { cases, owner } from './trees.js'

const itemsOf = (storage: ListEnv, some: Items.Bounds, view: View.View, at = '/') =>
  Items.itemsAt(some)(requestFor(view, at))(storage)

const collect = (storage: ListEnv, some: Items.Bounds, view = owner, at = '/') =>
  pipe(itemsOf(storage, some, view, at), TE.flatMap(Items.collect))()

const collected = async (...request: Parameters<typeof collect>) => succeeded(await collect(...request))

const names = ({ items }: Pick<Items.CollectedItems, 'items'>) => items.map(({ name }) => name)

it.each(['9'.repeat(400), '18446744073709551616'])('a limit may exceed every directory: %s', async (limit) => {
  const found = await collected(storageOf([file('a'), file('b')], 1), page({ limit }))
  expect([names(found), found.more]).toStrictEqual([['a', 'b'], false])
})

it('a listing joins from pages of any limit, each with whether more follows', () =>
  fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 8 }), async ({ at, view, storage }, limit) => {
      const whole = await collect(storage, unbounded, view, at)
      if (E.isLeft(whole)) return
      const { items } = whole.right
      const joined: Array<Items.DirectoryItem> = []
      for (let more = true; more; ) {
        const next = await collected(storage, page({ limit, after: joined.at(-1)?.name }), view, at)
        joined.push(...next.items)
        // A page that does not advance must fail the test, not stop it.
        more = next.more && joined.length <= items.length
        expect(next.more).toBe(joined.length < items.length)
        expect(next.items.length).toBe(next.more ? limit : next.items.length)
      }
      expect(joined).toStrictEqual(items)
    }),
  ))

it('the upper bound of a listing counts entries that are hidden', async () => {
  const visitor = View.ofVisitor(area, set({ '/': 'public', '/001': 'private' }))
  const maxItems = async (view: View.View, some: Items.Bounds, size?: number) =>
    succeeded(await itemsOf(storageOf(numbered(600), size), some, view)()).maxItems
  expect(await maxItems(visitor, unbounded)).toBe(600)
  expect(await maxItems(visitor, unbounded, 7)).toBe(7)
  expect(await maxItems(owner, page({ limit: 700, after: '589' }))).toBe(10)
  expect(await maxItems(owner, page({ after: 'z' }))).toBe(0)
})

describe('a listing over pages', () => {
  it.each([
    [3, 4],
    [1_000, 1_001],
    [1_001, undefined],
    [undefined, undefined],
  ])('with a limit of %s asks for pages of %s, one more to learn whether it follows', async (limit, minEntries) => {
    const { calls, storage } = logging(storageOf(numbered(9), 4), '/')
    await collect(storage, page({ limit, after: '001' }))
    expect(calls[0]).toMatchObject({ after: '001', minEntries })
  })

  it('says whether the storage has pages, even if the directory has one', async () => {
    const isPaged = async (size?: number) =>
      succeeded(await itemsOf(storageOf(numbered(2), size), unbounded, owner)()).isPaged
    expect([await isPaged(), await isPaged(5)]).toStrictEqual([false, true])
  })

  it('ends once its limit is exceeded, however many entries are hidden', async () => {
    const settings = set({ '/': 'public', '/000': 'private', '/001': 'private', '/002': 'private', '/004': 'private' })
    const { calls, storage } = logging(storageOf(numbered(30), 2), '/')
    const found = await collected(storage, page({ limit: 1 }), View.ofVisitor(area, settings))
    expect([names(found), found.more]).toStrictEqual([['003'], true])
    expect(calls.map(({ after }) => after)).toStrictEqual([undefined, '001', '003'])
  })

  it('fails if a later page fails', async () => {
    const { list } = storageOf(numbered(4), 2)
    const failure = Failure.external('EIO')
    const failing: ListEnv['list'] = (of, on, options) =>
      options?.after === undefined ? list(of, on, options) : TE.left(failure)
    expect(await collect({ list: failing }, unbounded)).toStrictEqual(E.left(failure))
  })

  it('adds only the new entries of a page that repeats earlier ones', async () => {
    const { list } = storageOf(numbered(5))
    const repeating: ListEnv['list'] = (of, on, { after = '001' } = {}) =>
      pipe(
        list(of, on),
        TE.map((whole) => {
          const entries = [...whole.entries].slice(0, Number(after) + 2)
          return { entries, unlistable: 0, next: entries.length < 5 ? entries.at(-1)?.name : undefined }
        }),
      )
    expect(names(await collected({ list: repeating }, unbounded))).toStrictEqual(numbered(5).map(({ name }) => name))
  })
})

const stuck = E.left(Failure.external(new Error('the storage returned a page that does not advance')))
const endingAt = (next: string): ListEnv => ({
  list: (of, on, options) =>
    pipe(
      storageOf([dir('a', file('f')), file('b')]).list(of, on, options),
      TE.map((listing) => ({ ...listing, next })),
    ),
})

it.each(['', 'b'])('a page that does not advance is external: next is %j', async (next) => {
  expect(await collect(endingAt(next), unbounded)).toStrictEqual(stuck)
  expect(await collect(endingAt(next), page({ after: 'c' }))).toStrictEqual(stuck)
  expect(await listPages(area, path('/'))(endingAt(next))()).toStrictEqual(stuck)
})

it.each([
  [undefined, [['000', '001'], ['002', '003'], ['004']]],
  ['002', [['003', '004']]],
])('listPages reads all pages of a directory after %s', async (after, expected) => {
  const pages = succeeded(await listPages(area, path('/'), { after })(storageOf(numbered(5), 2))())
  expect(pages.map(({ entries }) => Array.from(entries, ({ name }) => name))).toStrictEqual(expected)
})

it('a listing has the entry of a name, and an index for any name', () =>
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 20 }), fc.oneof(anyName, fc.constant('')), (some, other) => {
      const all = [...some].sort(Name.byBytes.compare)
      const entries = all.map((name) => ({ type: 'dir', last_modified: u64(1n), name }) as const)
      const found = (name: string) => Listing.named({ entries, unlistable: 0 }, name as Name.Name)
      for (const entry of entries) expect(found(entry.name)).toStrictEqual(O.some(entry))
      expect(O.isSome(found(other))).toBe(all.includes(other as Name.Name))
      const upTo = all.filter((each) => Name.byBytes.compare(each, other) <= 0)
      expect(Listing.indexAfter(entries, other)).toBe(upTo.length)
    }),
  ))
