import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { nodeVisibility, settings } from '../../testkit/src/arbitraries/values.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import { area } from './area.js'
import { path, settings as set } from './literals.js'

describe('what a directory shows to a visitor', () => {
  it.each<[Visibility, boolean, boolean]>([
    ['public', false, true],
    ['public', true, true],
    ['hidden', true, true],
    ['hidden', false, false],
    ['private', false, false],
    ['private', true, false],
  ])('a child that is %s, inherited %s: shown %s', (visibility, inherited, shown) => {
    expect(View.visitorIsShown({ inherited, visibility })).toBe(shown)
    expect(View.ofVisitor(area, Settings.none).shows({ inherited, visibility })).toBe(shown)
  })
})

describe('the owner sees every node', () => {
  it('whatever its visibility', () => {
    fc.assert(
      fc.property(nodeVisibility, (visibility) => {
        expect(View.ofOwner(area, Settings.none).shows(visibility)).toBe(true)
      }),
    )
  })
})

describe('what a visitor may ask for by name', () => {
  it.each<[Visibility, boolean]>([
    ['public', true],
    ['hidden', true],
    ['private', false],
  ])('a path that is %s: %s', (visibility, reached) => {
    expect(View.visitorReaches(set({ '/': visibility }), StoragePath.root)).toBe(reached)
    expect(View.visitorReaches(set({ '/': visibility }), path('/a/b'))).toBe(reached)
    expect(View.visitorReaches(set({ '/a/b': visibility }), path('/a/b'))).toBe(reached)
  })

  it('nothing, where nothing is set', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        expect(View.visitorReaches(Settings.none, at)).toBe(false)
      }),
    )
  })

  it('everything that a directory shows can be asked for', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        expect(View.visitorIsShown(Settings.visibilityAt(all, at)) && !View.visitorReaches(all, at)).toBe(false)
      }),
    )
  })
})
