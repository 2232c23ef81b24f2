import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { nodeVisibility, settings, visibility } from '../../testkit/src/arbitraries/values.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import * as Visibility from '../src/Visibility.js'
import { area, path, set } from './support.js'

const { visibilityAt } = Settings

const mapOf = (all: Settings.Settings) => new Map(Settings.entries(all))

const withSetting = (all: Settings.Settings, at: StoragePath.StoragePath, own: Visibility.Visibility) =>
  Settings.fromEntries([...Settings.entries(all), [at, own]])

it('is public, hidden or private', () => {
  expect(Visibility.all).toStrictEqual(['public', 'hidden', 'private'])
  expect(Visibility.all.filter(Visibility.codec.is)).toStrictEqual(Visibility.all)
})

describe('the visibility object says whether a parent directory gave the visibility', () => {
  it('has the JSON of the interface', () => {
    expect(Visibility.json({ inherited: true, visibility: 'hidden' })).toBe('{"inherited":true,"visibility":"hidden"}')
    fc.assert(
      fc.property(nodeVisibility, (value) => {
        expect(JSON.parse(Visibility.json(value))).toStrictEqual(Visibility.nodeCodec.encode(value))
      }),
    )
  })

  it('a setting of its own is not inherited; what a parent has is, whether the parent inherited it or not', () => {
    fc.assert(
      fc.property(visibility, nodeVisibility, (own, parent) => {
        expect(Visibility.own(own)).toStrictEqual({ inherited: false, visibility: own })
        expect(Visibility.inherit(parent)).toStrictEqual({ inherited: true, visibility: parent.visibility })
      }),
    )
  })
})

it('the nearest setting wins, else private; inherited except on its own path and at the root', () => {
  fc.assert(
    fc.property(settings, storagePath, (all, at) => {
      const map = mapOf(all)
      const nearest = StoragePath.upwards(at).find((on) => map.has(on))
      expect(visibilityAt(all, at)).toStrictEqual({
        visibility: nearest === undefined ? 'private' : map.get(nearest),
        inherited: !map.has(at) && at !== StoragePath.root,
      })
      expect(visibilityAt(Settings.none, at).visibility).toBe('private')
      expect(visibilityAt(all, StoragePath.root).inherited).toBe(false)
    }),
  )
})

describe('a setting belongs to a path', () => {
  it('and changes nothing but that path and what is below it', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, storagePath, (all, on, made, at) => {
        const before = visibilityAt(all, at)
        const after = visibilityAt(withSetting(all, on, made), at)
        expect(StoragePath.contains(on)(at) ? before : after).toStrictEqual(before)
      }),
    )
  })

  it('not a sibling whose name begins alike', () => {
    const all = set({ '/photos': 'public' })
    for (const sibling of ['/photos2', '/photos.', '/photos ', '/photo', '/photos-b/c', '/Photos'])
      expect(visibilityAt(all, path(sibling))).toStrictEqual({ inherited: true, visibility: 'private' })
  })

  it('below a nearer setting it changes nothing', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, visibility, (all, at, near, far) => {
        const nearest = withSetting(all, at, near)
        const ancestors = StoragePath.upwards(at).slice(1)
        const more = Settings.fromEntries([
          ...ancestors.map((ancestor) => [ancestor, far] as const),
          ...Settings.entries(nearest),
        ])
        expect(visibilityAt(more, at)).toStrictEqual(visibilityAt(nearest, at))
      }),
    )
  })

  it('its own setting is found, and no other', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, (all, at, own) => {
        const without = Settings.fromEntries([...Settings.entries(all)].filter(([on]) => on !== at))
        expect(Settings.ownAt(withSetting(all, at, own), at)).toStrictEqual(O.some(own))
        expect(Settings.ownAt(without, at)).toStrictEqual(O.none)
      }),
    )
  })
})

describe('what a directory shows', () => {
  it.each<[Visibility.Visibility, boolean, boolean]>([
    ['public', false, true],
    ['public', true, true],
    ['hidden', true, true],
    ['hidden', false, false],
    ['private', false, false],
    ['private', true, false],
  ])('a child that is %s, inherited %s: shown to a visitor %s, to the owner always', (visibility, inherited, shown) => {
    expect(View.isShownToVisitors({ inherited, visibility })).toBe(shown)
    expect(View.ofVisitor(area, Settings.none).shows({ inherited, visibility })).toBe(shown)
    expect(View.ofOwner(area, Settings.none).shows({ inherited, visibility })).toBe(true)
  })
})

describe('what a visitor may ask for by name', () => {
  it.each<[Visibility.Visibility, boolean]>([
    ['public', true],
    ['hidden', true],
    ['private', false],
  ])('a path that is %s: %s', (visibility, reached) => {
    expect(View.visitorMaySee(set({ '/': visibility }), StoragePath.root)).toBe(reached)
    expect(View.visitorMaySee(set({ '/': visibility }), path('/a/b'))).toBe(reached)
    expect(View.visitorMaySee(set({ '/a/b': visibility }), path('/a/b'))).toBe(reached)
    for (const inherited of [true, false]) expect(View.visitorReaches({ inherited, visibility })).toBe(reached)
  })

  it('nothing, where nothing is set; everything that a directory shows', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(View.visitorMaySee(Settings.none, at)).toBe(false)
        expect(View.isShownToVisitors(visibilityAt(all, at)) && !View.visitorMaySee(all, at)).toBe(false)
      }),
    )
  })
})

it('an explanation agrees with what visitors receive, and lists the settings on the way up', () => {
  fc.assert(
    fc.property(settings, storagePath, (all, at) => {
      const parent = O.toUndefined(StoragePath.parent(at))
      const way = StoragePath.upwards(at)
      const map = mapOf(all)
      expect(View.explainVisibility(all, at)).toStrictEqual({
        visibility: visibilityAt(all, at),
        reachable: View.visitorMaySee(all, at),
        listed:
          parent !== undefined && View.visitorMaySee(all, parent) && View.isShownToVisitors(visibilityAt(all, at)),
        decidedBy: O.fromNullable(way.find((on) => map.has(on))),
        chain: way.map((on) => ({ path: on, own: O.fromNullable(map.get(on)), rule: O.none })),
      })
    }),
  )
})

describe('settings', () => {
  it('have the entries that they were made from; the last one for a path wins', () => {
    const [a, b] = [path('/a'), path('/b')]
    const made = Settings.fromEntries([
      [a, 'public'],
      [b, 'hidden'],
      [a, 'private'],
    ])
    expect([...Settings.entries(made)]).toStrictEqual([
      [a, 'private'],
      [b, 'hidden'],
    ])
    expect([Settings.size(made), Settings.size(Settings.none)]).toStrictEqual([2, 0])
  })

  it('on the way to a path are decided in one pass as each path of it alone', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(Settings.stepsTo(all, at)).toStrictEqual(
          StoragePath.upwards(at)
            .map((on) => ({ path: on, own: Settings.ownAt(all, on), rule: O.none, visibility: visibilityAt(all, on) }))
            .reverse(),
        )
      }),
    )
  })

  it('can be written as literals', () => {
    const made = Settings.fromRecord({ '/': 'public', '/photos/2024': 'private' })
    expect([...Settings.entries(made)]).toStrictEqual([
      ['/', 'public'],
      ['/photos/2024', 'private'],
    ])
    expect(visibilityAt(made, StoragePath.unsafe('/photos/2024/sea.jpg')).visibility).toBe('private')
  })

  it.each(['/..', '/a/./b', '/\0', '/\ud800', `/${'x'.repeat(256)}`])(
    'with the literal %j leave all private',
    (wrong) => {
      const record: { readonly '/z': 'public' } = { [wrong]: 'hidden', '/z': 'public' }
      const made = Settings.fromRecord(record)
      expect([Settings.size(made), visibilityAt(made, path('/z')).visibility]).toStrictEqual([0, 'private'])
    },
  )
})
