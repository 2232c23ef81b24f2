import { Listing, type Name } from '@canopy/domain'
import { runs } from '@canopy/test-support'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { emptyDirectory, listingOf } from '../src/Directory.js'
import { pages, type Store } from '../src/store.js'
import { addLevel, subtrees } from '../src/subtree.js'
import { memoryStore } from './memoryStore.js'

type Shown = ReadonlyArray<string>

const shown = (prefix: string, { entries, unlistable }: Listing.Listing): Shown => [
  `${prefix}: ${[...entries].map(({ type, name }) => `${type} ${name}`).join(', ')}; ${unlistable}`,
]

const directoriesIn = ({ entries }: Listing.Listing): ReadonlyArray<Name.Name> =>
  [...entries].filter(({ type }) => type === 'dir').map(({ name }) => name)

/** Asks for one directory after the other, each by its own level. */
const byLevels = async (store: Store, prefix: string, isAsked: (prefix: string) => boolean): Promise<Shown> => {
  const level = emptyDirectory()
  await addLevel(store, level, prefix, O.none, undefined)
  const below: Array<string> = []
  for (const name of directoriesIn(listingOf(level)))
    if (isAsked(`${prefix}${name}/`)) below.push(...(await byLevels(store, `${prefix}${name}/`, isAsked)))
  return [...shown(prefix, listingOf(level)), ...below]
}

/** Walks the tree as the server does: in the order of names, some directories ahead. */
const byWalk = async (
  store: Store,
  root: string,
  isAsked: (prefix: string) => boolean,
  ahead: number,
): Promise<Shown> => {
  const { list, listIn } = subtrees(store)
  const walk = async (prefix: string, listing: Listing.Listing): Promise<Shown> => {
    const names = directoriesIn(listing).filter((name) => isAsked(`${prefix}${name}/`))
    const asked: Array<Promise<Listing.Listing | undefined>> = []
    const below: Array<string> = []
    for (const [index, name] of names.entries()) {
      for (const next of names.slice(asked.length, index + 1 + ahead)) asked.push(listIn(listing, next))
      below.push(...(await walk(`${prefix}${name}/`, (await asked[index]) ?? Listing.treeBegins)))
    }
    return [...shown(prefix, listing), ...below]
  }
  return walk(root, (await list(root)) ?? Listing.treeBegins)
}

const every = () => true

const numbered = (count: number, name: (index: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => name(index))

const digits = (index: number): string => String(index).padStart(5, '0')

describe('the directories of a tree', () => {
  it('are the same as level by level, whatever the keys, the pages and what is asked for', async () => {
    const segment = fc.constantFrom('a', 'a-b', 'a.', 'a0', 'b', 'c', 'report', 'report-1', 'é', '', '..')
    const key = fc
      .tuple(fc.array(segment, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '', '/'))
      .map(([segments, end]) => `p/${segments.join('/')}${end}`)
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { minLength: 1, maxLength: 120, size: 'max' }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(key, { maxLength: 4 }),
        fc.integer({ min: 0, max: 6 }),
        async (keys, pageKeys, notAsked, ahead) => {
          const isAsked = (prefix: string) => !notAsked.some((each) => `${each}/` === prefix)
          const expected = await byLevels(memoryStore(keys), 'p/', isAsked)
          expect(await byWalk(memoryStore(keys, pageKeys), 'p/', isAsked, ahead)).toEqual(expected)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  it.each([
    [
      '100 directories of 100',
      numbered(100_000, (i) => `p/${digits((i / 1000) | 0)}/${digits(((i / 10) | 0) % 100)}/${i % 10}`),
    ],
    ['10,000 directories', numbered(100_000, (i) => `p/${digits((i / 10) | 0)}/${i % 10}`)],
    ['10,000 directories, most of them small', numbered(100_000, (i) => `p/${digits((Math.sqrt(i) * 31) | 0)}/${i}`)],
    [
      '10,000 directories behind 2,000 files',
      [...numbered(2_000, (i) => `p/!${digits(i)}`), ...numbered(98_000, (i) => `p/${digits((i / 10) | 0)}/${i % 10}`)],
    ],
  ])('of 100,000 objects in %s take at most 200 requests', async (_, keys) => {
    const store = memoryStore(keys)
    const walked = await byWalk(store, 'p/', every, 4)
    expect(walked.length).toBeGreaterThan(9_000)
    expect(store.asked.count).toBeLessThanOrEqual(200)
  })

  it('that no one may see are not read, beyond what comes with the others', async () => {
    const keys = [
      ...numbered(200, (i) => `p/open-${digits(i)}/f`),
      ...numbered(50_000, (i) => `p/secret/${digits(i)}`),
      ...numbered(200, (i) => `p/target-${digits(i)}/f`),
    ]
    const store = memoryStore(keys)
    await byWalk(store, 'p/', (prefix) => prefix !== 'p/secret/', 4)
    expect(store.asked.count).toBeLessThanOrEqual(10)
  })

  it('are read in two runs at once, however many are asked for', async () => {
    const store = memoryStore(numbered(30_000, (i) => `p/${digits((i / 1000) | 0)}/${i}`))
    let [now, most] = [0, 0]
    const page: Store['page'] = async (question) => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now -= 1
      return store.page(question)
    }
    expect((await byWalk({ ...store, page }, 'p/', every, 64)).length).toBe(31)
    expect(most).toBe(2)
  })

  it('are not read on when the last client has gone', async () => {
    const store = memoryStore(numbered(40_000, (i) => `p/${digits((i / 5) | 0)}/${i % 5}`))
    const { list, listIn } = subtrees(store)
    const root = (await list('p/')) ?? Listing.treeBegins
    const [, name] = directoriesIn(root).slice(300)
    const before = store.asked.count
    if (name !== undefined) await listIn(root, name, AbortSignal.abort())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(store.asked.count - before).toBe(2)
  })
})

describe('a listing of 10,000 objects', () => {
  const keys = numbered(10_000, (i) => `p/${digits(i)}`)

  it('takes 10 requests', async () => {
    const store = memoryStore(keys)
    const level = emptyDirectory()
    await addLevel(store, level, 'p/', O.none, undefined)
    expect([level.entries.length, store.asked.count]).toEqual([10_000, 10])
  })

  it('is asked for two pages ahead of the one that is used', async () => {
    const store = memoryStore(keys)
    const asked: Array<number> = []
    for await (const _ of pages(store, { prefix: 'p/', oneLevel: true })) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      asked.push(store.asked.count)
    }
    expect(asked).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 10, 10])
  })
})
