import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import type { Entry } from '../src/Entry.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import { visibleEntries } from '../src/visibleEntries.js'
import { area } from './area.js'
import { name, path, settings as set, u64 } from './literals.js'

const entriesOf = (...names: ReadonlyArray<string>) =>
  names.map((text) => ({ type: 'dir', name: name(text), last_modified: u64(1n) }) as const)

const namesOf = (entries: Iterable<Entry>): ReadonlyArray<string> => Array.from(entries, ({ name }) => name)

const shownTo = (view: View.View, directory: string, ...names: ReadonlyArray<string>) =>
  visibleEntries(view, path(directory), entriesOf(...names)).flatMap(({ entries }) => namesOf(entries))

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
        const alike = visibleEntries(View.ofOwner(area, all), at, entriesOf('a', 'hidden'))
        for (const [entry, visibility] of alike.flatMap((each) =>
          Array.from(each.entries, (e) => [e, each.visibility] as const),
        ))
          expect(O.some(visibility)).toStrictEqual(
            pipe(
              StoragePath.child(at, entry.name),
              O.map((child) => Settings.visibilityAt(all, child)),
            ),
          )
      }),
    )
  })

  it('comes together with those before it that are alike, also where something lies between that is not shown', () => {
    const shown = (view: View.View, ...names: ReadonlyArray<string>) =>
      visibleEntries(view, path('/'), entriesOf(...names)).map(({ entries, visibility }) => [
        visibility.visibility,
        ...namesOf(entries),
      ])
    expect(shown(View.ofVisitor(area, set({ '/': 'public' })), 'a', 'private', 'z')).toStrictEqual([
      ['public', 'a', 'private', 'z'],
    ])
    expect(shown(View.ofVisitor(area, all), 'a', 'private', 'z')).toStrictEqual([['public', 'a', 'z']])
    expect(shown(View.ofOwner(area, all), 'a', 'b', 'private', 'z')).toStrictEqual([
      ['public', 'a', 'b'],
      ['private', 'private'],
      ['public', 'z'],
    ])
  })

  it('comes with others only where there is any', () => {
    for (const settings of [set({ '/': 'public' }), all])
      expect(visibleEntries(View.ofOwner(area, settings), path('/'), [])).toStrictEqual([])
  })

  it('is left out when its path would break a bound: it could not be asked for', () => {
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(254), 'a')).toStrictEqual(['a'])
    expect(shownTo(View.ofOwner(area, all), '/a'.repeat(255), 'a')).toStrictEqual([])
  })
})
