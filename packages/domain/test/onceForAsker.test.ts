import { describe, expect, it } from 'vitest'
import type { Listing } from '../src/Listing.js'
import { onceForAsker } from '../src/onceForAsker.js'
import * as View from '../src/View.js'
import { area } from './area.js'
import { path, settings } from './literals.js'

const listing = (): Listing => ({ entries: [], unlistable: 0 })

describe('what is derived from a listing for an asker', () => {
  const own = settings({ '/': 'public' })
  const at = onceForAsker((view, directory, listed) => ({ view, directory, listed }))

  it('is derived once, from the view, the path and the listing', () => {
    const listed = listing()
    const view = View.ofOwner(area, own)
    const first = at(view, path('/a'))(listed)
    expect(first).toStrictEqual({ view, directory: '/a', listed })
    expect(at(View.ofOwner({ ...area }, own), path('/a'))(listed)).toBe(first)
  })

  it('differs between listings, settings, askers and paths', () => {
    const listed = listing()
    const derived = [
      at(View.ofOwner(area, own), path('/a'))(listed),
      at(View.ofOwner(area, own), path('/b'))(listed),
      at(View.ofVisitor(area, own), path('/a'))(listed),
      at(View.ofOwner(area, settings({ '/': 'public' })), path('/a'))(listed),
      at(View.ofOwner(area, own), path('/a'))(listing()),
    ]
    expect(new Set(derived).size).toBe(derived.length)
  })
})
