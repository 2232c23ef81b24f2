import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import type { Entries, Entry } from '../src/Listing.js'
import type { ListEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import { visibleChildren } from '../src/View.js'
import type * as Visibility from '../src/Visibility.js'
import { area, name, nodesOf, pageSizes, path, requestFor, set, settingsOf, storageOf, u64 } from './support.js'

const entriesOf = (...names: ReadonlyArray<string>): Entries =>
  names.map((text) => ({ type: 'dir', name: name(text), last_modified: u64(1n) }) as const)

const child: View.OfChild<{ readonly entry: Entry; readonly visibility: Visibility.NodeVisibility }> = (
  entry,
  visibility,
) => ({
  entry,
  visibility,
})

/** One for each entry, `undefined` for one that is not shown. */
const children = (view: View.View, directory: string, entries: Entries, from?: number) =>
  pipe(
    visibleChildren(view, path(directory), child, { start: from })({ entries, unlistable: 0 }),
    E.getOrElseW(() => expect.fail('not whole')),
  )

const shownTo = (view: View.View, directory: string, ...names: ReadonlyArray<string>) =>
  [...children(view, directory, entriesOf(...names))].flatMap((child) =>
    child === undefined ? [] : [child.entry.name],
  )

const all = set({
  '/': 'public',
  '/hidden': 'hidden',
  '/hidden/deeper': 'hidden',
  '/hidden/free': 'public',
  '/private': 'private',
})

const [visitor, owner] = [View.ofVisitor(area, all), View.ofOwner(area, all)]
const own = View.ofVisitor(area, set({ '/own': 'private', '/own/a': 'public' }))

it.each<[string, View.View, string, ReadonlyArray<string>, ReadonlyArray<string>]>([
  [
    'what is public, not what is hidden itself or private',
    visitor,
    '/',
    ['a', 'hidden', 'hidden2', 'private'],
    ['a', 'hidden2'],
  ],
  [
    'of a hidden directory its contents, but for a second secret',
    visitor,
    '/hidden',
    ['a', 'deeper', 'free'],
    ['a', 'free'],
  ],
  ['nothing of a private directory', visitor, '/private', ['a', 'b'], []],
  ['but what is set public in it', own, '/own', ['a', 'b'], ['a']],
  ['everything to the owner', owner, '/', ['a', 'hidden', 'private'], ['a', 'hidden', 'private']],
  ['what is within the bounds of a path', owner, '/a'.repeat(254), ['a'], ['a']],
  ['nothing beyond them: it could not be asked for', owner, '/a'.repeat(255), ['a'], []],
])('a directory shows %s', (_, view, directory, names, shown) => {
  expect(shownTo(view, directory, ...names)).toStrictEqual(shown)
})

describe('each child', () => {
  it('comes with its visibility, whether settings are fewer than the entries or not', () => {
    const names = ['a', 'hidden', ...Array.from({ length: 9 }, (_, index) => `${index}`)]
    fc.assert(
      fc.property(storagePath, fc.integer({ min: 1, max: names.length }), (at, count) => {
        for (const child of children(owner, at, entriesOf(...names.slice(0, count)))) {
          if (child === undefined) continue
          const its = StoragePath.child(at, child.entry.name)
          expect(O.some(child.visibility)).toStrictEqual(
            O.map((path: StoragePath.StoragePath) => Settings.visibilityAt(all, path))(its),
          )
        }
      }),
    )
  })

  it('stands where its entry does: what is not shown leaves a gap, so that a reader can stop there', () => {
    const entries = entriesOf('a', 'hidden', 'private', 'z')
    const namesFrom = (from?: number) => Array.from(children(visitor, '/', entries, from), (child) => child?.entry.name)
    expect(namesFrom()).toStrictEqual(['a', undefined, undefined, 'z'])
    expect(namesFrom(2)).toStrictEqual([undefined, 'z'])
    expect(namesFrom(4)).toStrictEqual([])
  })

  it('is made when it is read, and again each time', () => {
    const asked: Array<string> = []
    const watched = [...entriesOf('a', 'b')]
    const entries: Entries = {
      length: watched.length,
      at: (index) => watched.at(index),
      *[Symbol.iterator]() {
        for (const entry of watched) {
          asked.push(entry.name)
          yield entry
        }
        return undefined
      },
    }
    const shown = children(owner, '/', entries)
    expect(asked).toStrictEqual([])
    for (const _ of shown) break
    expect(asked).toStrictEqual(['a'])
    expect([...shown]).toStrictEqual([...shown])
    expect(asked).toStrictEqual(['a', 'a', 'b', 'a', 'b'])
  })
})

const broken = new Error('the disk does not answer')
const external = E.left(Failure.external(broken))

const isWhole = (view: View.View, directory: string, ...names: ReadonlyArray<string>): boolean => {
  const listing = { entries: [], unlistable: 0, unknown: { names: names.map(name), cause: broken } }
  const whole = visibleChildren(view, path(directory), child)(listing)
  if (E.isLeft(whole)) expect(whole).toStrictEqual(external)
  return E.isRight(whole)
}

const some = set({ '/': 'public', '/private': 'private', '/private/free': 'public', '/hidden': 'hidden' })
const [someVisitor, someOwner] = [View.ofVisitor(area, some), View.ofOwner(area, some)]

it.each<[boolean, View.View, string, ReadonlyArray<string>]>([
  [true, someVisitor, '/', ['private', 'hidden']],
  [true, someVisitor, '/private', ['a', 'b']],
  [false, someVisitor, '/', ['private', 'a']],
  [false, someVisitor, '/hidden', ['a']],
  [false, someVisitor, '/private', ['a', 'free']],
  [false, someOwner, '/', ['private']],
  // Their paths would be too long to be asked for.
  [true, someOwner, '/a'.repeat(255), ['b']],
])(
  'a listing with entries of which only the names are known is whole (%s) for those who are shown none of them, else external',
  (whole, view, directory, names) => {
    expect(isWhole(view, directory, ...names)).toBe(whole)
  },
)

/** Of these directories nothing is known but the names of what the asker is not shown, or also of what they are. */
const knowing = ({ list }: ListEnv, view: View.View, isKnown: (isShown: boolean) => boolean): ListEnv => ({
  list: (of, directory, options) =>
    pipe(
      list(of, directory, options),
      TE.map(({ entries, unlistable, next }) => {
        const shown = new Set(Array.from(children(view, directory, entries), (child) => child?.entry))
        const known = [...entries].filter((entry) => isKnown(shown.has(entry)))
        const names = [...entries].filter((entry) => !known.includes(entry)).map((entry) => entry.name)
        return { entries: known, unlistable, next, ...(names.length > 0 ? { unknown: { names, cause: broken } } : {}) }
      }),
    ),
})

const requestsOf = (view: View.View, at: string) => {
  const request = requestFor(view, at)
  return {
    listing: pipe(
      Items.itemsAt(Items.unbounded)(request),
      (ask) => (ports: ListEnv) => TE.flatMap(Items.collect)(ask(ports))(),
    ),
    tree:
      (storage: ReturnType<typeof storageOf>) =>
      ({ list }: ListEnv) =>
        pipe(treeAt(Tree.unbounded)(request)({ ...storage, list }), TE.flatMap(Tree.collect))(),
  }
}

describe('whatever an area holds', () => {
  const everywhere = (account: Parameters<typeof settingsOf>[0], pageEntries?: number) => {
    const settings = settingsOf(account)
    const storage = storageOf(nodesOf(account), pageEntries)
    const withSettings = Array.from(Settings.entries(settings), ([at]) => at)
    const paths = [StoragePath.root, ...withSettings].filter((at) => View.visitorMaySee(settings, at))
    return { storage, paths, view: View.ofVisitor(area, settings) }
  }

  it.each<[string, boolean]>([
    ['a visitor receives the same when nothing can be looked at that they are not shown', true],
    ['and external when what they are shown cannot be looked at', false],
  ])('%s', async (_, knowsShown) => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), fc.constantFrom(...pageSizes), async (account, pageEntries) => {
        const { storage, paths, view } = everywhere(account, pageEntries)
        const less = knowing(storage, view, (isShown) => isShown === knowsShown)
        for (const at of paths) {
          const { listing, tree } = requestsOf(view, at)
          const whole = await listing(storage)
          const isExternal = !knowsShown && E.isRight(whole) && whole.right.items.length > 0
          expect(await listing(less)).toStrictEqual(isExternal ? external : whole)
          expect(await tree(storage)(less)).toStrictEqual(isExternal ? external : await tree(storage)(storage))
        }
      }),
    )
  })
})
