import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { settings } from '../../testkit/src/arbitraries/values.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import { explainVisibility } from '../src/View.js'
import { path, settings as set } from './literals.js'

describe('an explanation agrees with what visitors meet', () => {
  it('has the visibility that the node has', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(explainVisibility(all, at).visibility).toStrictEqual(Settings.visibilityAt(all, at))
      }),
    )
  })

  it('is reachable exactly when a visitor reaches it', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(explainVisibility(all, at).reachable).toBe(View.visitorReaches(all, at))
      }),
    )
  })

  it('is listed exactly when a visitor reaches the parent and is shown the node there', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        const parent = O.toUndefined(StoragePath.parent(at))
        expect(explainVisibility(all, at).listed).toBe(
          parent !== undefined &&
            View.visitorReaches(all, parent) &&
            View.visitorIsShown(Settings.visibilityAt(all, at)),
        )
      }),
    )
  })

  it('names the setting that decides: the visibility is the same with that setting alone', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        const { decidedBy, visibility } = explainVisibility(all, at)
        const deciding = new Map([...all].filter(([on]) => O.isSome(decidedBy) && on === decidedBy.value))
        expect(Settings.visibilityAt(deciding, at)).toStrictEqual(visibility)
      }),
    )
  })

  it('shows every ancestor with its own setting, nearest first', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(explainVisibility(all, at).chain).toStrictEqual(
          StoragePath.upwards(at).map((on) => ({ path: on, own: O.fromNullable(all.get(on)) })),
        )
      }),
    )
  })
})

describe('for example', () => {
  it('a public node in a private directory can be asked for and is not listed', () => {
    expect(explainVisibility(set({ '/a/b': 'public' }), path('/a/b'))).toStrictEqual({
      visibility: { inherited: false, visibility: 'public' },
      chain: [
        { path: '/a/b', own: O.some('public') },
        { path: '/a', own: O.none },
        { path: '/', own: O.none },
      ],
      decidedBy: O.some('/a/b'),
      reachable: true,
      listed: false,
    })
  })

  it('a node in a hidden directory is listed there, a node set hidden is not', () => {
    const all = set({ '/a': 'hidden', '/a/b': 'hidden' })
    expect(explainVisibility(all, path('/a/c'))).toMatchObject({
      decidedBy: O.some('/a'),
      reachable: true,
      listed: true,
    })
    expect(explainVisibility(all, path('/a/b'))).toMatchObject({
      decidedBy: O.some('/a/b'),
      reachable: true,
      listed: false,
    })
  })

  it('nothing decides but the default: private', () => {
    expect(explainVisibility(Settings.none, path('/a'))).toMatchObject({
      visibility: { inherited: true, visibility: 'private' },
      decidedBy: O.none,
      reachable: false,
      listed: false,
    })
  })

  it('the root is listed nowhere', () => {
    expect(explainVisibility(set({ '/': 'public' }), StoragePath.root)).toMatchObject({
      reachable: true,
      listed: false,
    })
  })
})
