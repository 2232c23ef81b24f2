import { readFileSync } from 'node:fs'
import { Items, type Listing, operations, type StoragePath, Tree } from '@canopy/domain'
import { collectGarbage, startListingStore } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { s3Storage, storageIn } from '../src/s3Storage.js'
import { area, asOwner, token, url } from './asClient.js'
import { memoryStore, numbered } from './memoryStore.js'

const padded = (n: number): string => `${n}`.padStart(6, '0')

/** `flat/` of 10,000 files, `wide/` of 10,000 files in 1,000 directories, `thousand/` of 1,000 and `million/` of a million files. */
const keys = [
  ...numbered(10_000, (n) => `1/flat/${padded(n)}`),
  ...numbered(10_000, (n) => `1/wide/${padded(Math.floor(n / 10))}/${n % 10}`),
  ...numbered(1_000, (n) => `1/thousand/${padded(n)}`),
  ...numbered(1_000_000, (n) => `1/million/${padded(n)}`),
]

type Ask = (storage: ReturnType<typeof storageIn>) => Promise<unknown>

const right = <A>(either: E.Either<unknown, A>): A =>
  E.isRight(either) ? either.right : expect.fail(String(either.left))

const listing =
  (path: string, bounds: Parameters<typeof Items.bounds>[0] = {}): Ask =>
  async (storage) => {
    const page = right(Items.bounds(bounds))
    return Items.collect(right(await operations.storageDirItems({ token, path }, page)(asOwner(storage))()))()
  }

const tree =
  (path: string, depth?: number): Ask =>
  async (storage) => {
    const bounds = right(Tree.bounds({ depth }))
    const found = await operations.storageTree({ token, path }, bounds)(asOwner(storage))()
    return E.isRight(found) ? Tree.collect(found.right)() : found
  }

/** The rows of docs/scale.md. */
const rows: ReadonlyArray<readonly [row: string, ask: Ask]> = [
  ['listing of 1,000 children', listing('/thousand')],
  ['listing of 10,000 children', listing('/flat')],
  ['listing of a million children', listing('/million')],
  ['a page of 1,000 of a million children, anywhere', listing('/million', { limit: 1000, after: '500000' })],
  ['a directory without its children', tree('/flat', 0)],
  ['a file', tree('/flat/000007')],
  ['a name that does not exist, in a directory that does', tree('/flat/nothing')],
  ['tree of 1,000 objects', tree('/thousand')],
  ['tree of 10,000 objects in 1,000 directories', tree('/wide')],
  ['`?depth=1` of a million children', tree('/million', 1)],
  ['`/readyz`, once a second at most in each process', ({ reachable }) => reachable()],
]

describe('requests to the store', { timeout: 60_000 }, () => {
  const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8')
  const store = memoryStore(keys)

  it.each(rows)('are as many as docs/scale.md says: %s', async (row, ask) => {
    const storage = storageIn(url, store)
    // The first directory also shows whether the store ignores case.
    await listing('/thousand')(storage)
    store.requests.count = 0
    await ask(storage)
    const count = page
      .split('\n')
      .find((line) => line.startsWith(`| ${row} `))
      ?.split('|')[2]
    expect(store.requests.count.toLocaleString('en')).toBe(count?.trim())
  })
})

/** Megabytes that are in use after a collection of the garbage. */
const liveMemory = async (): Promise<number> => {
  await collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

it('the pages of 300,000 children take no more memory than the first ones', { timeout: 60_000 }, async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  const store = await startListingStore(['1/'], 1_000, { prefix: '1/large/', count: 300_000 })
  const storage = await s3Storage({ ...url, endpoint: store.endpoint, pathStyle: true })
  const used: Array<number> = []
  let previous: Listing.Listing | undefined
  do {
    previous = right(
      await storage.list(area, '/large' as StoragePath.StoragePath, { after: previous?.next, previous })(),
    )
    if ([20, 300].includes(store.asked.length)) used.push(await liveMemory())
  } while (previous.next !== undefined)
  storage.close()
  await store.stop()
  const [first = 0, last = Number.NaN] = used
  expect(last - first).toBeLessThan(4)
})
