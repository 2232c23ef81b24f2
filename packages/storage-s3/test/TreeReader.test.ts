import { Listing, type Name } from '@canopy/domain'
import { runs } from '@canopy/test-support'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelPages } from '../src/levelPage.js'
import type { Store } from '../src/store.js'
import { TreeReader } from '../src/TreeReader.js'
import { memoryStore, numbered, slowly } from './memoryStore.js'

type Shown = ReadonlyArray<string>
type Pages = ReadonlyArray<Listing.Listing>

const shown = (prefix: string, pages: Pages): Shown => {
  const entries = pages.flatMap((page) => [...page.entries])
  const unlistable = pages.reduce((sum, page) => sum + page.unlistable, 0)
  return [`${prefix}: ${entries.map(({ type, name }) => `${type} ${name}`).join(', ')}; ${unlistable}`]
}

const directoriesIn = (pages: Pages): ReadonlyArray<readonly [Name.Name, Listing.Listing]> =>
  pages.flatMap((page) =>
    [...page.entries].filter(({ type }) => type === 'dir').map(({ name }) => [name, page] as const),
  )

/** Lists one directory after the other, each by its own level. */
const byLevels = async (store: Store, prefix: string, isWanted: (prefix: string) => boolean): Promise<Shown> => {
  const level: Array<Listing.Listing> = []
  for await (const page of levelPages(store, prefix)) level.push(page)
  const below: Array<string> = []
  for (const [name] of directoriesIn(level))
    if (isWanted(`${prefix}${name}/`)) below.push(...(await byLevels(store, `${prefix}${name}/`, isWanted)))
  return [...shown(prefix, level), ...below]
}

const pagesOf = async (trees: TreeReader, parent: Listing.Listing, name: Name.Name | '', prefix: string) => {
  const all: Array<Listing.Listing> = []
  let previous: Listing.Listing | undefined
  do {
    previous = await trees.page(parent, name, prefix, { after: previous?.next, previous })
    if (previous !== undefined) all.push(previous)
  } while (previous?.next !== undefined)
  return all
}

/** Walks the tree as the server does: in the order of names, some directories ahead. */
const byWalk = async (store: Store, root: string, isWanted: (prefix: string) => boolean, ahead: number) => {
  const trees = new TreeReader(store)
  const walk = async (prefix: string, pages: Pages): Promise<Shown> => {
    const directories = directoriesIn(pages).filter(([name]) => isWanted(`${prefix}${name}/`))
    const begun: Array<Promise<Pages>> = []
    const below: Array<string> = []
    for (const [index, [name]] of directories.entries()) {
      for (const [next, page] of directories.slice(begun.length, index + 1 + ahead))
        begun.push(pagesOf(trees, page, next, `${prefix}${next}/`))
      below.push(...(await walk(`${prefix}${name}/`, (await begun[index]) ?? [])))
    }
    return [...shown(prefix, pages), ...below]
  }
  return walk(root, await pagesOf(trees, Listing.noParent, '', root))
}

/** Resolves when every request that is under way has ended: the pages of the store need no timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const digits = (index: number): string => String(index).padStart(5, '0')

describe('the directories of a tree', () => {
  it('equal a reading level by level, for any keys, page sizes and requested directories', async () => {
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
        async (keys, pageKeys, unwanted, ahead) => {
          const isWanted = (prefix: string) => !unwanted.some((each) => `${each}/` === prefix)
          const expected = await byLevels(memoryStore(keys), 'p/', isWanted)
          expect(await byWalk(memoryStore(keys, pageKeys), 'p/', isWanted, ahead)).toEqual(expected)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  it('of 100,000 objects, most of them small, take at most 200 requests', async () => {
    const store = memoryStore(numbered(100_000, (i) => `p/${digits((Math.sqrt(i) * 31) | 0)}/${i}`))
    expect((await byWalk(store, 'p/', () => true, 4)).length).toBeGreaterThan(9_000)
    expect(store.requests.count).toBeLessThanOrEqual(200)
  })

  it('that the walk does not request are read only as far as they lie in a run', async () => {
    const keys = [
      ...numbered(200, (i) => `p/open-${digits(i)}/f`),
      ...numbered(50_000, (i) => `p/secret/${digits(i)}`),
      ...numbered(200, (i) => `p/target-${digits(i)}/f`),
    ]
    const store = memoryStore(keys)
    await byWalk(store, 'p/', (prefix) => prefix !== 'p/secret/', 4)
    expect(store.requests.count).toBeLessThanOrEqual(10)
  })

  it('are read in two concurrent runs, however many are requested', async () => {
    const store = slowly(memoryStore(numbered(30_000, (i) => `p/${digits((i / 1000) | 0)}/${i}`)))
    expect((await byWalk(store, 'p/', () => true, 64)).length).toBe(31)
    expect(store.mostAtOnce).toBe(2)
  })

  it('are read no further when the client has left', async () => {
    const store = memoryStore(numbered(40_000, (i) => `p/${digits((i / 5) | 0)}/${i % 5}`))
    const trees = new TreeReader(store)
    const root = await pagesOf(trees, Listing.noParent, '', 'p/')
    const [name, page] = directoriesIn(root)[300] ?? []
    const before = store.requests.count
    if (name !== undefined && page !== undefined)
      await trees.page(page, name, `p/${name}/`, { signal: AbortSignal.abort() })
    await settled()
    expect(store.requests.count - before).toBe(1)
  })

  it('are read no further than the last one of a run, even if it has vanished', async () => {
    const keys = [
      ...numbered(3_000, (i) => `p/${digits((i / 10) | 0)}/${i}`),
      ...numbered(9_000, (i) => `p/z${digits(i)}`),
    ]
    const [before, after] = [memoryStore(keys), memoryStore(keys.filter((key) => !key.startsWith('p/00299/')))]
    let store = before
    const trees = new TreeReader({ ...before, page: (...request) => store.page(...request) })
    const [page = Listing.noParent] = await pagesOf(trees, Listing.noParent, '', 'p/')
    store = after
    const name = digits(298) as Name.Name
    expect((await trees.page(page, name, `p/${name}/`, {}))?.entries.length).toBe(10)
    await settled()
    expect(after.requests.count).toBe(1)
  })
})
