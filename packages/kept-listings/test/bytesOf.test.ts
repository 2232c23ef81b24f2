import { Area, type Entry, Name, StoragePath, U64, type UserId } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../src/bytesOf.js'
import type { Reading } from '../src/Reading.js'

const area: Area.Area = { owner: U64.clamp(1n) as UserId.UserId, location: Area.location('1') }

const file = (name: string): Entry.Entry => ({
  type: 'file',
  name: O.getOrElseW((): never => expect.fail(name))(Name.fromString(name)),
  size: U64.zero,
  last_modified: U64.zero,
})

const costOf = ({ names = [], watches = 0, key = '' }: { names?: Array<string>; watches?: number; key?: string }) => {
  const reading: Reading = {
    place: { area, root: '', path: StoragePath.root },
    key,
    stale: false,
    listing: { entries: names.map(file), unlistable: 0 },
    watches: Array.from({ length: watches }, () => ({ key: '', name: undefined })),
  }
  return bytesOf(reading)
}

describe('what a kept listing costs in memory', () => {
  it('grows with its entries, each of which is kept in two texts as well', () => {
    expect(costOf({ names: ['a', 'b'] }) - costOf({ names: ['a'] })).toBeGreaterThan(400)
  })

  it('grows with their names, four bytes a character at least', () => {
    expect(costOf({ names: ['n'.repeat(201)] }) - costOf({ names: ['n'] })).toBeGreaterThanOrEqual(800)
  })

  it('grows with its watches, some kilobytes each, and with its key', () => {
    expect(costOf({ watches: 11 }) - costOf({ watches: 1 })).toBeGreaterThanOrEqual(20_000)
    expect(costOf({ key: 'k'.repeat(100) }) - costOf({})).toBeGreaterThanOrEqual(200)
  })
})
