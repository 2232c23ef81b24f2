import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import type { Entry } from '../src/Listing.js'
import * as Listing from '../src/Listing.js'
import * as Name from '../src/Name.js'
import { u64 } from './support.js'

const entries = fc
  .uniqueArray(anyName, { maxLength: 20 })
  .map((names) =>
    [...names].sort(Name.byBytes.compare).map((name): Entry => ({ type: 'dir', last_modified: u64(1n), name })),
  )

it('an entry of a listing is found by its name, and comes after a name that it follows in byte order', () => {
  fc.assert(
    fc.property(entries, fc.oneof(anyName, fc.constant('')), (all, other) => {
      const listing = { entries: all, unlistable: 0 }
      for (const entry of all) expect(Listing.named(listing, entry.name)).toStrictEqual(O.some(entry))
      expect(O.isSome(Listing.named(listing, other as Name.Name))).toBe(all.some(({ name }) => name === other))
      const before = all.filter((entry) => Name.byBytes.compare(entry.name, other) <= 0)
      expect(Listing.indexAfter(all, other)).toBe(before.length)
    }),
  )
})
