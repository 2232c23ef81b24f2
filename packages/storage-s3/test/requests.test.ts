import { readFileSync } from 'node:fs'
import { Area, type StoragePath, Tree, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { memoryStore } from './memoryStore.js'
import { treeOf } from './treeOf.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const padded = (n: number): string => `${n}`.padStart(6, '0')

/** `flat/` of 10,000 files, `wide/` of 10,000 files in 1,000 directories, and 1,000 files in one directory. */
const keys = [
  ...Array.from({ length: 10_000 }, (_, n) => `1/flat/${padded(n)}`),
  ...Array.from({ length: 10_000 }, (_, n) => `1/wide/${padded(Math.floor(n / 10))}/${n % 10}`),
  ...Array.from({ length: 1_000 }, (_, n) => `1/thousand/${padded(n)}`),
]

const at = (path: string) => path as StoragePath.StoragePath
type Ask = (storage: ReturnType<typeof storageIn>) => Promise<unknown>

const list =
  (path: string): Ask =>
  ({ list }) =>
    list(area, at(path))()

const tree =
  (path: string): Ask =>
  async (storage) => {
    const found = await treeOf(area, storage, path)
    return E.isRight(found) ? Tree.collect(found.right)() : found
  }

/** The rows of docs/scale.md, and what is asked for. */
const operations: ReadonlyArray<readonly [what: string, ask: Ask]> = [
  ['listing of 1,000 children', list('/thousand')],
  ['listing of 10,000 children', list('/flat')],
  ['one node (`?depth=0`)', ({ nodeAt }) => nodeAt(area, at('/flat/000007'))()],
  ['a name that does not exist, in a directory that does', tree('/flat/nothing')],
  ['tree of 1,000 objects', tree('/thousand')],
  ['tree of 10,000 objects in 1,000 directories', tree('/wide')],
  ['`/readyz`', ({ reachable }) => reachable()],
]

describe('requests to the store', () => {
  const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8')

  it.each(operations)('are as many as docs/scale.md says: %s', async (what, ask) => {
    const store = memoryStore(keys)
    const url = { bucket: 'b', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }
    const storage = storageIn(url, store)
    // The first one also asks whether the store ignores case.
    await list('/thousand')(storage)
    store.asked.count = 0
    await ask(storage)
    const said = page
      .split('\n')
      .find((line) => line.startsWith(`| ${what}`))
      ?.split('|')[2]
    expect(`${store.asked.count}`).toBe(said?.trim())
  })
})
