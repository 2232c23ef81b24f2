import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Entries from '../src/Entries.js'
import type { Entry } from '../src/Entry.js'
import type { Listing } from '../src/Listing.js'
import { look, type ShownIn, shownIn } from '../src/shownIn.js'
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

/** All of it looked at. */
const looked = ({ sections }: ShownIn) => {
  const seen = sections.map(look)
  return {
    count: seen.reduce((sum, { count }) => sum + count, 0),
    children: seen.flatMap(({ children }) => children),
  }
}

describe('what a directory shows', () => {
  it('is its directories, and in between the files that stand side by side', () => {
    const shown = shownIn(View.ofOwner(area, settings({ '/': 'public' })), path('/'))
    expect(looked(shown(listing(file('a'), file('b'), dir('c'), dir('d'), file('e'))))).toStrictEqual({
      count: 5,
      children: [
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
      looked(
        shownIn(View.ofOwner(area, settings({ '/': 'public' })), path(at))(listing(file('a'), dir('c'), file('e'))),
      ),
    )
    const told = (at: string, shown = near) =>
      shown && {
        ...shown,
        children: shown.children.map((child) => (child.type === 'dir' ? child.path.slice(at.length) : child)),
      }
    expect(told(deep, far)).toStrictEqual(told('/n', near))
  })

  it('keeps files together that are alike in visibility, and no others', () => {
    const shown = shownIn(View.ofOwner(area, all), path('/'))
    expect(looked(shown(listing(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(file)))).children).toStrictEqual([
      files(inherited, 'a', 'b'),
      files({ inherited: false, visibility: 'hidden' }, 'c'),
      files({ inherited: false, visibility: 'public' }, 'd'),
      files({ inherited: false, visibility: 'private' }, 'e'),
      files(inherited, 'f', 'g'),
    ])
  })

  it('is what the asker may see', () => {
    const shown = shownIn(View.ofVisitor(area, all), path('/'))
    expect(looked(shown(listing(file('a'), file('c'), dir('e'), file('f'))))).toStrictEqual({
      count: 2,
      children: [files(inherited, 'a', 'f')],
    })
  })

  it('holds no entry of files that stand side by side in the listing: what is packed stays packed', () => {
    const entries = Entries.packed([
      {
        names: 'a/b/c/d',
        starts: new Uint32Array([0, 2, 4, 6, 8]),
        numbers: new BigUint64Array([1n, 2n, 1n, 2n, 1n, 2n, 1n, 2n]),
      },
    ])
    const shown = shownIn(View.ofOwner(area, settings({ '/': 'public', '/c': 'hidden' })), path('/'))
    const { children } = looked(shown({ entries, unlistable: 0 }))
    expect(children.map((child) => child.type === 'files' && Entries.isPacked(child.files))).toStrictEqual([
      true,
      true,
      true,
    ])
    expect(children.flatMap((child) => (child.type === 'files' ? Array.from(child.files, (f) => f.name) : []))).toEqual(
      ['a', 'b', 'c', 'd'],
    )
  })

  it('is nothing where nothing is', () => {
    expect(shownIn(View.ofOwner(area, all), path('/'))(listing()).sections).toStrictEqual([])
  })

  const many = Array.from({ length: 1025 }, (_, index) => (index === 600 ? dir : file)(`${index}`))

  it('comes in sections of 512 entries, so that each is looked at and written soon', () => {
    for (const set of [settings({ '/other': 'public' }), settings({ '/other/1': 'public' })]) {
      const { sections } = shownIn(View.ofOwner(area, set), path('/'))(listing(...many))
      expect(
        sections
          .map(look)
          .map(({ count, children }) => [
            count,
            ...children.map((child) => (child.type === 'files' ? child.files.length : child.path)),
          ]),
      ).toStrictEqual([
        [512, 512],
        [512, 88, '/600', 423],
        [1, 1],
      ])
    }
  })

  it('is counted without a look only where all are alike', () => {
    const countFor = (view: View.View) => shownIn(view, path('/'))(listing(...many)).count
    const elsewhere = settings({ '/': 'public', '/a/b': 'private' })
    expect(countFor(View.ofOwner(area, elsewhere))).toStrictEqual(O.some(1025))
    expect(countFor(View.ofVisitor(area, elsewhere))).toStrictEqual(O.some(1025))
    expect(countFor(View.ofVisitor(area, settings({ '/': 'private' })))).toStrictEqual(O.some(0))
    expect(countFor(View.ofVisitor(area, settings({ '/': 'public', '/a': 'private' })))).toStrictEqual(O.none)
  })

  it('is looked at once', () => {
    const [section] = shownIn(View.ofOwner(area, all), path('/'))(listing(...many)).sections
    expect(section && look(section)).toBe(section && look(section))
  })
})
