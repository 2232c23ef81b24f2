import { readFileSync } from 'node:fs'
import { Area, Items, operations, Settings, StoragePath, Tree, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { memoryStore } from './memoryStore.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const url = { bucket: 'b', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }
const padded = (n: number): string => `${n}`.padStart(6, '0')

/** `flat/` of 10,000 files, `wide/` of 10,000 files in 1,000 directories, `thousand/` of 1,000 and `million/` of a million files. */
const keys = [
  ...Array.from({ length: 10_000 }, (_, n) => `1/flat/${padded(n)}`),
  ...Array.from({ length: 10_000 }, (_, n) => `1/wide/${padded(Math.floor(n / 10))}/${n % 10}`),
  ...Array.from({ length: 1_000 }, (_, n) => `1/thousand/${padded(n)}`),
  ...Array.from({ length: 1_000_000 }, (_, n) => `1/million/${padded(n)}`),
]

type Storage = ReturnType<typeof storageIn>
type Ask = (storage: Storage) => Promise<unknown>

const token = `cnp_${'A'.repeat(43)}`

const env = (storage: Storage) => ({
  ...storage,
  areaOfToken: () => TE.right({ area, scope: StoragePath.root }),
  settingsOf: () => TE.right(Settings.none),
})

const listing =
  (path: string, bounds: Parameters<typeof Items.bounds>[0] = {}): Ask =>
  async (storage) => {
    const page = Items.bounds(bounds)
    if (E.isLeft(page)) throw new Error(page.left)
    const items = await operations.storageDirItems({ token, path }, page.right)(env(storage))()
    return E.isRight(items) ? Items.collect(items.right)() : items
  }

const tree =
  (path: string, depth?: number): Ask =>
  async (storage) => {
    const bounds = Tree.bounds({ depth })
    if (E.isLeft(bounds)) throw new Error(bounds.left)
    const found = await operations.storageTree({ token, path }, bounds.right)(env(storage))()
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
