import { describe, expect, it } from 'vitest'
import type { Entry } from '../src/Entry.js'
import type { Listing } from '../src/Listing.js'
import { shownIn } from '../src/shownIn.js'
import * as View from '../src/View.js'
import { area } from './area.js'
import { name, path, settings, u64 } from './literals.js'

const file = (text: string): Entry => ({ type: 'file', name: name(text), size: u64(1n), last_modified: u64(2n) })
const dir = (text: string): Entry => ({ type: 'dir', name: name(text), last_modified: u64(2n) })
const listing = (...entries: ReadonlyArray<Entry>): Listing => ({ entries, unlistable: 0 })

const inherited = { inherited: true, visibility: 'public' }
const files = (visibility: object, ...names: ReadonlyArray<string>) => ({
  type: 'files',
  files: names.map(file),
  visibility,
})

const all = settings({ '/': 'public', '/c': 'hidden', '/d': 'public', '/e': 'private' })

describe('what a directory shows', () => {
  it('is its directories, and in between the files that stand side by side', () => {
    const shown = shownIn(View.ofOwner(area, settings({ '/': 'public' })), path('/'))
    expect(shown(listing(file('a'), file('b'), dir('c'), dir('d'), file('e')))).toStrictEqual({
      count: 5,
      parts: [
        files(inherited, 'a', 'b'),
        { type: 'dir', path: '/c', visibility: inherited },
        { type: 'dir', path: '/d', visibility: inherited },
        files(inherited, 'e'),
      ],
    })
  })

  it('is the same whether its children are known to be alike or looked at one by one', () => {
    const deep = '/a'.repeat(200)
    const [near, far] = ['/n', deep].map((at) =>
      shownIn(View.ofOwner(area, settings({ '/': 'public' })), path(at))(listing(file('a'), dir('c'), file('e'))),
    )
    const told = (at: string, shown = near) =>
      shown && { ...shown, parts: shown.parts.map((part) => (part.type === 'dir' ? part.path.slice(at.length) : part)) }
    expect(told(deep, far)).toStrictEqual(told('/n', near))
  })

  it('keeps files together that are alike in visibility, and no others', () => {
    const shown = shownIn(View.ofOwner(area, all), path('/'))
    expect(shown(listing(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(file))).parts).toStrictEqual([
      files(inherited, 'a', 'b'),
      files({ inherited: false, visibility: 'hidden' }, 'c'),
      files({ inherited: false, visibility: 'public' }, 'd'),
      files({ inherited: false, visibility: 'private' }, 'e'),
      files(inherited, 'f', 'g'),
    ])
  })

  it('is what the asker may see', () => {
    const shown = shownIn(View.ofVisitor(area, all), path('/'))
    expect(shown(listing(file('a'), file('c'), dir('e'), file('f')))).toStrictEqual({
      count: 2,
      parts: [files(inherited, 'a', 'f')],
    })
  })

  it('is nothing where nothing is', () => {
    expect(shownIn(View.ofOwner(area, all), path('/'))(listing())).toStrictEqual({ count: 0, parts: [] })
  })

  it('holds at most 512 files in a part, so that a part is written soon', () => {
    const many = Array.from({ length: 1025 }, (_, index) => file(`${index}`))
    for (const set of [settings({}), settings({ '/other': 'public' })]) {
      const { count, parts } = shownIn(View.ofOwner(area, set), path('/'))(listing(...many))
      expect([count, parts.map((part) => part.type === 'files' && part.files.length)]).toStrictEqual([
        1025,
        [512, 512, 1],
      ])
    }
  })
})
