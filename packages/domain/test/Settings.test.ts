import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { settings, visibility } from '../../testkit/src/arbitraries/values.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import { path, settings as set } from './literals.js'

const { visibilityAt } = Settings

describe('nearest setting wins', () => {
  it('the visibility is the setting of the path, or of its nearest ancestor that has one, or private', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        const nearest = StoragePath.upwards(at).find((on) => all.has(on))
        expect(visibilityAt(all, at).visibility).toBe(nearest === undefined ? 'private' : all.get(nearest))
      }),
    )
  })

  it('with none anywhere, everything is private', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        expect(visibilityAt(Settings.none, at).visibility).toBe('private')
      }),
    )
  })
})

describe('inherited is false exactly when the node has a setting of its own, or is the root', () => {
  it('for every path', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        const own = all.has(at) || at === StoragePath.root
        expect(visibilityAt(all, at).inherited).toBe(!own)
      }),
    )
  })

  it('the root never inherits', () => {
    fc.assert(
      fc.property(settings, (all) => {
        expect(visibilityAt(all, StoragePath.root).inherited).toBe(false)
      }),
    )
  })
})

describe('a setting belongs to a path', () => {
  it('and changes nothing but that path and what is below it', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, storagePath, (all, on, made, at) => {
        const before = visibilityAt(all, at)
        const after = visibilityAt(new Map([...all, [on, made]]), at)
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
        const nearest = new Map([...all, [at, near] as const])
        pipe(
          StoragePath.upwards(at).slice(1),
          (ancestors) => new Map([...ancestors.map((ancestor) => [ancestor, far] as const), ...nearest]),
          (more) => expect(visibilityAt(more, at)).toStrictEqual(visibilityAt(nearest, at)),
        )
      }),
    )
  })

  it('its own setting is found, and no other', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, (all, at, own) => {
        expect(Settings.ownAt(new Map([...all, [at, own]]), at)).toStrictEqual(O.some(own))
        expect(Settings.ownAt(new Map([...all].filter(([on]) => on !== at)), at)).toStrictEqual(O.none)
      }),
    )
  })
})
