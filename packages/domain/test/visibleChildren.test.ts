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
import type { Entries } from '../src/Listing.js'
import type { ListEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { visibleChildren } from '../src/View.js'
import { area, name, nodesOf, path, set, settingsOf, storageOf, u64 } from './support.js'

const entriesOf = (...names: ReadonlyArray<string>): Entries =>
  names.map((text) => ({ type: 'dir', name: name(text), last_modified: u64(1n) }) as const)

/** One for each entry, `undefined` for one that is not shown. */
const children = (view: View.View, directory: string, entries: Entries, from?: number) =>
  pipe(
    visibleChildren(view, path(directory), from)({ entries, unlistable: 0 }),
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

describe('what a directory shows to a visitor', () => {
  it('is what is public; what is set hidden itself is left out, and so is every private one', () => {
    expect(shownTo(View.ofVisitor(area, all), '/', 'a', 'hidden', 'hidden2', 'private')).toStrictEqual(['a', 'hidden2'])
  })

  it('a hidden directory asked for by name lists its contents, while a second secret inside stays secret', () => {
    expect(shownTo(View.ofVisitor(area, all), '/hidden', 'a', 'deeper', 'free')).toStrictEqual(['a', 'free'])
  })

  it('is nothing of a private directory but what is set public in it', () => {
    const visitor = View.ofVisitor(
      area,
      set({ '/': 'public', '/private': 'private', '/own': 'private', '/own/a': 'public' }),
    )
    expect(shownTo(visitor, '/private', 'a', 'b')).toStrictEqual([])
    expect(shownTo(visitor, '/own', 'a', 'b')).toStrictEqual(['a'])
  })

  it('to the owner it is everything', () => {
    expect(shownTo(View.ofOwner(area, all), '/', 'a', 'hidden', 'private')).toStrictEqual(['a', 'hidden', 'private'])
  })
})

describe('each child', () => {
  it('comes with its visibility, whether settings are fewer than the entries or not', () => {
    const names = ['a', 'hidden', ...Array.from({ length: 9 }, (_, index) => `${index}`)]
    fc.assert(
      fc.property(storagePath, fc.integer({ min: 1, max: names.length }), (at, count) => {
        for (const child of children(View.ofOwner(area, all), at, entriesOf(...names.slice(0, count)))) {
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
    const namesFrom = (from?: number) =>
      Array.from(children(View.ofVisitor(area, all), '/', entries, from), (child) => child?.entry.name)
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
    const shown = children(View.ofOwner(area, all), '/', entries)
    expect(asked).toStrictEqual([])
    for (const _ of shown) break
    expect(asked).toStrictEqual(['a'])
    expect([...shown]).toStrictEqual([...shown])
    expect(asked).toStrictEqual(['a', 'a', 'b', 'a', 'b'])
  })

  it('is left out when its path would break a bound: it could not be asked for', () => {
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(254), 'a')).toStrictEqual(['a'])
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(255), 'a')).toStrictEqual([])
  })
})

const broken = new Error('the disk does not answer')
const external = E.left(Failure.external(broken))

const isWhole = (view: View.View, directory: string, ...names: ReadonlyArray<string>): boolean => {
  const listing = { entries: [], unlistable: 0, unknown: { names: names.map(name), cause: broken } }
  const whole = visibleChildren(view, path(directory))(listing)
  if (E.isLeft(whole)) expect(whole).toStrictEqual(external)
  return E.isRight(whole)
}

const some = set({ '/': 'public', '/private': 'private', '/private/free': 'public', '/hidden': 'hidden' })
const visitor = View.ofVisitor(area, some)

describe('a listing with entries of which nothing but their names is known', () => {
  it('is whole for those who are shown none of them', () => {
    expect(isWhole(visitor, '/', 'private', 'hidden')).toBe(true)
    expect(isWhole(visitor, '/private', 'a', 'b')).toBe(true)
  })

  it('is external, with its cause, for those who would be shown one', () => {
    expect(isWhole(visitor, '/', 'private', 'a')).toBe(false)
    expect(isWhole(visitor, '/hidden', 'a')).toBe(false)
    expect(isWhole(visitor, '/private', 'a', 'free')).toBe(false)
    expect(isWhole(View.ofOwner(area, some), '/', 'private')).toBe(false)
  })

  it('is whole for everyone where the path of each would be too long', () => {
    expect(isWhole(View.ofOwner(area, Settings.none), '/a'.repeat(255), 'b')).toBe(true)
  })
})

/** Of these directories nothing is known but the names of what the asker is not shown, or also of what they are. */
const knowing = ({ list }: ListEnv, view: View.View, isKnown: (isShown: boolean) => boolean): ListEnv => ({
  list: (of, directory) =>
    pipe(
      list(of, directory),
      TE.map(({ entries, unlistable }) => {
        const shown = new Set(Array.from(children(view, directory, entries), (child) => child?.entry))
        const known = [...entries].filter((entry) => isKnown(shown.has(entry)))
        const names = [...entries].filter((entry) => !known.includes(entry)).map((entry) => entry.name)
        return { entries: known, unlistable, ...(names.length > 0 ? { unknown: { names, cause: broken } } : {}) }
      }),
    ),
})

const asksOf = (view: View.View, at: string) => {
  const asked = { path: path(at), mustBeDirectory: false }
  return {
    listing: pipe(
      Items.itemsAt(asked, Items.wholeListing)(view),
      (ask) => (ports: ListEnv) => TE.map(Items.collect)(ask(ports))(),
    ),
    tree:
      (storage: ReturnType<typeof storageOf>) =>
      ({ list }: ListEnv) =>
        pipe(Tree.treeAt(asked, Tree.unbounded)(view)({ ...storage, list }), TE.flatMapTask(Tree.collect))(),
  }
}

describe('whatever an area holds', () => {
  const everywhere = (account: Parameters<typeof settingsOf>[0]) => {
    const settings = settingsOf(account)
    const storage = storageOf(nodesOf(account))
    const paths = [StoragePath.root, ...settings.keys()].filter((at) => View.visitorReaches(settings, at))
    return { storage, paths, view: View.ofVisitor(area, settings) }
  }

  it.each<[string, boolean]>([
    ['a visitor receives the same when nothing can be looked at that they are not shown', true],
    ['and external when what they are shown cannot be looked at', false],
  ])('%s', async (_, knowsShown) => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), async (account) => {
        const { storage, paths, view } = everywhere(account)
        const less = knowing(storage, view, (isShown) => isShown === knowsShown)
        for (const at of paths) {
          const { listing, tree } = asksOf(view, at)
          const whole = await listing(storage)
          const isExternal = !knowsShown && E.isRight(whole) && whole.right.items.length > 0
          expect(await listing(less)).toStrictEqual(isExternal ? external : whole)
          expect(await tree(storage)(less)).toStrictEqual(isExternal ? external : await tree(storage)(storage))
        }
      }),
    )
  })
})
