import * as fc from 'fast-check'
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

  it('a child may be freer than its parent', () => {
    const all = set({ '/': 'private', '/a': 'hidden', '/a/b': 'public' })
    expect(visibilityAt(all, path('/a/b'))).toStrictEqual({ inherited: false, visibility: 'public' })
    expect(visibilityAt(all, path('/a/c'))).toStrictEqual({ inherited: true, visibility: 'hidden' })
    expect(visibilityAt(all, path('/c'))).toStrictEqual({ inherited: true, visibility: 'private' })
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

  it('its own setting is found, and no other', () => {
    fc.assert(
      fc.property(settings, storagePath, visibility, (all, at, own) => {
        expect(Settings.ownAt(new Map([...all, [at, own]]), at)).toStrictEqual(O.some(own))
        expect(Settings.ownAt(new Map([...all].filter(([on]) => on !== at)), at)).toStrictEqual(O.none)
      }),
    )
  })
})
