import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { itemsAt, wholeListing } from '../src/itemsAt.js'
import type { ListEnv } from '../src/ports/list.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import { visibleEntries } from '../src/visibleEntries.js'
import { wholeFor } from '../src/wholeFor.js'
import { area } from './area.js'
import { name, path, settings as set } from './literals.js'
import { nodesOf } from './nodesOf.js'
import { settingsOf } from './settingsOf.js'
import { storageOf } from './storageOf.js'

const broken = new Error('the disk does not answer')
const external = E.left(Failure.external(broken))

const isWhole = (view: View.View, directory: string, ...names: ReadonlyArray<string>): boolean => {
  const listing = { entries: [], unlistable: 0, unknown: { names: names.map(name), cause: broken } }
  const whole = wholeFor(view, path(directory))(listing)
  expect(whole).toStrictEqual(E.isRight(whole) ? E.right(listing) : external)
  return E.isRight(whole)
}

const all = set({ '/': 'public', '/private': 'private', '/private/free': 'public', '/hidden': 'hidden' })
const visitor = View.ofVisitor(area, all)

describe('a listing with entries of which nothing but their names is known', () => {
  it('is whole for whoever is shown none of them', () => {
    expect(isWhole(visitor, '/', 'private', 'hidden')).toBe(true)
    expect(isWhole(visitor, '/private', 'a', 'b')).toBe(true)
  })

  it('is external, with its cause, for whoever would be shown one', () => {
    expect(isWhole(visitor, '/', 'private', 'a')).toBe(false)
    expect(isWhole(visitor, '/hidden', 'a')).toBe(false)
    expect(isWhole(visitor, '/private', 'a', 'free')).toBe(false)
    expect(isWhole(View.ofOwner(area, all), '/', 'private')).toBe(false)
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
        const shown = new Set(visibleEntries(view, directory, entries).flatMap((alike) => [...alike.entries]))
        const known = [...entries].filter((entry) => isKnown(shown.has(entry)))
        const names = [...entries].filter((entry) => !known.includes(entry)).map((entry) => entry.name)
        return { entries: known, unlistable, ...(names.length > 0 ? { unknown: { names, cause: broken } } : {}) }
      }),
    ),
})

const asksOf = (view: View.View, at: string) => {
  const asked = { path: path(at), mustBeDirectory: false }
  return {
    listing: pipe(itemsAt(asked, wholeListing)(view), (ask) => (ports: ListEnv) => TE.map(Items.collect)(ask(ports))()),
    tree:
      (storage: ReturnType<typeof storageOf>) =>
      ({ list }: ListEnv) =>
        pipe(treeAt(asked, Tree.unbounded)(view)({ ...storage, list }), TE.flatMapTask(Tree.collect))(),
  }
}

describe('whatever an area holds', () => {
  const everywhere = (account: Parameters<typeof settingsOf>[0]) => {
    const settings = settingsOf(account)
    const storage = storageOf(nodesOf(account))
    const paths = [StoragePath.root, ...settings.keys()].filter((at) => View.visitorReaches(settings, at))
    return { storage, paths, view: View.ofVisitor(area, settings) }
  }

  it('a visitor receives the same when nothing can be looked at that they are not shown', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), async (account) => {
        const { storage, paths, view } = everywhere(account)
        const less = knowing(storage, view, (isShown) => isShown)
        for (const at of paths) {
          const { listing, tree } = asksOf(view, at)
          expect(await listing(less)).toStrictEqual(await listing(storage))
          expect(await tree(storage)(less)).toStrictEqual(await tree(storage)(storage))
        }
      }),
    )
  })

  it('and external when what they are shown cannot be looked at', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), async (account) => {
        const { storage, paths, view } = everywhere(account)
        const less = knowing(storage, view, (isShown) => !isShown)
        for (const at of paths) {
          const { listing, tree } = asksOf(view, at)
          const whole = await listing(storage)
          const shows = E.isRight(whole) && whole.right.items.length > 0
          expect(await listing(less)).toStrictEqual(shows ? external : whole)
          expect(await tree(storage)(less)).toStrictEqual(shows ? external : await tree(storage)(storage))
        }
      }),
    )
  })
})
