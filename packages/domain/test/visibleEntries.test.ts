import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/storagePath.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import { visibleEntries } from '../src/visibleEntries.js'
import { area } from './area.js'
import { name, path, settings as set, u64 } from './literals.js'

const entriesOf = (...names: ReadonlyArray<string>) =>
  names.map((text) => ({ type: 'dir', name: name(text), last_modified: u64(1n) }) as const)

const shownTo = (view: View.View, directory: string, ...names: ReadonlyArray<string>) =>
  visibleEntries(view, path(directory), entriesOf(...names)).map(({ entry }) => entry.name)

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

describe('each entry', () => {
  it('comes with its visibility', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        for (const { entry, visibility } of visibleEntries(View.ofOwner(area, all), at, entriesOf('a', 'hidden')))
          expect(O.some(visibility)).toStrictEqual(
            pipe(
              StoragePath.child(at, entry.name),
              O.map((child) => Settings.visibilityAt(all, child)),
            ),
          )
      }),
    )
  })

  it('comes with its place among all entries, whether all are alike or not', () => {
    const indices = (settings: Settings.Settings) =>
      visibleEntries(View.ofVisitor(area, settings), path('/'), entriesOf('a', 'private', 'z')).map(
        ({ index }) => index,
      )
    expect(indices(set({ '/': 'public' }))).toStrictEqual([0, 1, 2])
    expect(indices(all)).toStrictEqual([0, 2])
  })

  it('is left out when its path would break a bound: it could not be asked for', () => {
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(254), 'a')).toStrictEqual(['a'])
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(255), 'a')).toStrictEqual([])
  })
})
