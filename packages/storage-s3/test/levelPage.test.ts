import type { Listing } from '@canopy/domain'
import { runs } from '@canopy/test-support'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelPage } from '../src/levelPage.js'
import type { Store } from '../src/store.js'
import { memoryStore, numbered, slowly } from './memoryStore.js'

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const isName = (text: string): boolean => !['', '.', '..'].includes(text)

/** The listing of `p/`, from the keys alone: each name once, a directory in place of a file. */
const expectedAfter = (keys: ReadonlyArray<string>, after: string | undefined) => {
  const types = new Map<string, 'file' | 'dir'>()
  for (const key of keys) {
    const [name = '', ...below] = key.slice('p/'.length).split('/')
    if (!key.startsWith('p/') || !isName(name) || (after !== undefined && byBytes(name, after) <= 0)) continue
    if (below.length > 0) types.set(name, 'dir')
    else if (!types.has(name)) types.set(name, 'file')
  }
  return [...types].sort(([one], [other]) => byBytes(one, other)).map(([name, type]) => `${type} ${name}`)
}

/** Empty, `.` and `..` names directly in `p/`, each once as a file and once as a directory. */
const invalidKeys = (keys: ReadonlyArray<string>): number => {
  const levels = keys
    .filter((key) => key.startsWith('p/') && key !== 'p/')
    .map((key) => key.slice('p/'.length))
    .map((key) => (key.includes('/') ? key.slice(0, key.indexOf('/') + 1) : key))
  return new Set(levels.filter((level) => !isName(level.replace('/', '')))).size
}

const shown = ({ entries }: Listing.Listing) => [...entries].map(({ type, name }) => `${type} ${name}`)

const readAll = async (store: Store, isContinued: boolean, minEntries?: number, from?: string) => {
  const pages: Array<Listing.Listing> = []
  let after = from
  do {
    const previous = isContinued ? pages.at(-1) : undefined
    const page: Listing.Listing | undefined = await levelPage(store, 'p/', { after, minEntries, previous })
    if (page === undefined) break
    pages.push(page)
    after = page.next
  } while (after !== undefined && pages.length < 1_000)
  return {
    shown: pages.flatMap(shown),
    sizes: pages.map(({ entries }) => entries.length),
    unlistable: pages.reduce((sum, { unlistable }) => sum + unlistable, 0),
  }
}

const pageSizes = [1, 2, 3, 1000]
const minimums = [undefined, 1, 2, 3, 1001]

/** How the pages of a directory differ from its listing. */
const faultsOf = async (keys: ReadonlyArray<string>, pageKeys: number, minEntries?: number, after?: string) => {
  const faults: Array<unknown> = []
  const expected = expectedAfter(keys, after).join()
  for (const isContinued of [false, true]) {
    const { shown, sizes, unlistable } = await readAll(memoryStore(keys, pageKeys), isContinued, minEntries, after)
    if (shown.join() !== expected) faults.push({ keys, minEntries, isContinued, shown, expected })
    if (after === undefined && unlistable !== invalidKeys(keys)) faults.push({ keys, unlistable })
    if (sizes.slice(0, -1).some((size) => size < (minEntries ?? 1))) faults.push({ keys, minEntries, sizes })
  }
  return faults
}

describe('the pages of a directory join to its names in byte order', () => {
  const belowSlash = ' !"#$%&\'()*+,-.\u0001'
  const character = fc.constantFrom(...belowSlash.split(''), 'a', 'a', 'a', 'a', '0', 'é', '\u{1f600}')
  const segment = fc.oneof(
    { weight: 8, arbitrary: fc.array(character, { minLength: 1, maxLength: 5 }).map((all) => all.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('', '.', '..') },
  )
  const key = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '/'))
    .map(([segments, end]) => `p/${segments.join('/')}${end}`)

  it.each(pageSizes)('for names that are prefixes of each other, store pages of %i keys', async (pageKeys) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 40, size: 'max' }),
        fc.constantFrom(...minimums),
        fc.option(fc.oneof(segment, fc.constantFrom('a/b', 'a\0b', 'a'.repeat(500), 'é'.repeat(300))), {
          nil: undefined,
        }),
        async (keys, minEntries, after) => {
          expect(await faultsOf(keys, pageKeys, minEntries, after)).toEqual([])
        },
      ),
      { numRuns: runs(1_000) },
    )
  })

  it.each(pageSizes)('for a name whose prefixes are all directories, store pages of %i keys', async (pageKeys) => {
    const names = numbered(255, (length) => `a${'-'.repeat(length)}`)
    const keys = names.flatMap((name) => [`p/${name}`, `p/${name}/x`])
    expect(await faultsOf(keys, pageKeys)).toEqual([])
    expect(await faultsOf(keys, pageKeys, 7)).toEqual([])
  })
})

const photos = numbered(5_000, (index) => `p/photo-2024-${String(index).padStart(6, '0')}`)

it.each([
  ['looks up at once each prefix of its last name that may be a directory', undefined, 4, 2],
  ['adds no look-up for prefixes of the name that it continues after', 'photo-2024-002000', 2, 1],
])('a page of 1,000 entries %s', async (_, after, requests, concurrent) => {
  const store = slowly(memoryStore(photos))
  await levelPage(store, 'p/', { minEntries: 1_001, after })
  expect([store.requests.count, store.mostAtOnce]).toEqual([requests, concurrent])
})

it('a page with a small limit requests few keys', async () => {
  const page = await levelPage(memoryStore(photos), 'p/', { minEntries: 11 })
  expect(page?.entries.length).toBeLessThanOrEqual(31)
})
