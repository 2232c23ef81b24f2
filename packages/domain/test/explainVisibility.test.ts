import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { settings } from '../../testkit/src/arbitraries/values.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import { explainVisibility } from '../src/View.js'

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

  it('names the setting that decides: that of the node or of the nearest directory above it', () => {
    fc.assert(
      fc.property(settings, storagePath, (all, at) => {
        const nearest = StoragePath.upwards(at).find((on) => all.has(on))
        expect(explainVisibility(all, at).decidedBy).toStrictEqual(O.fromNullable(nearest))
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
