import { inspect } from 'node:util'
import { type Listing, listPages, StoragePath } from '@canopy/domain'
import {
  type BrokenStore,
  type Fault,
  type ObjectStore,
  seedObjects,
  startBrokenStore,
  storesToTest,
} from '@canopy/test-support'
import type { WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type S3Storage, s3Storage } from '../src/s3Storage.js'
import { area } from './asClient.js'

const files = 1_050

const nodes = Array.from(
  { length: files },
  (_, i): WorldNode => ({ type: 'file', name: `f${i}`, size: 1n, last_modified: 0n }),
)

const file = '/f7' as StoragePath.StoragePath
const external = E.left(expect.objectContaining({ error: 'external' }))

const lengthOf = (answer: E.Either<unknown, ReadonlyArray<Listing.Listing>>): number | string =>
  E.isRight(answer) ? answer.right.reduce((sum, { entries }) => sum + entries.length, 0) : 'failed'

const stores = storesToTest(process.env, 'Storage in an object store that breaks')

describe.each(stores)('storage in an object store that breaks, by way of $name', ({ name, start }) => {
  let store: ObjectStore
  let way: BrokenStore
  let bucket = ''
  let storage: S3Storage
  const openAt = (endpoint: string, others: object = {}) =>
    s3Storage({ bucket, prefix: '', endpoint, region: store.region, pathStyle: true, ...others })

  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
    way = await startBrokenStore(store)
    bucket = await store.newBucket()
    await seedObjects(store, bucket, '1/', nodes)
    storage = await openAt(way.endpoint)
  })
  afterAll(async () => {
    storage.close()
    await way.stop()
    await store.stop()
  })
  afterEach(() => way.repair())

  const list = (signal?: AbortSignal) => listPages(area, StoragePath.root, { signal })(storage)()
  const nodeAt = () => storage.nodeAt(area, file)()

  const faults: ReadonlyArray<Fault> = [
    'refuses',
    'hangs up',
    'fails',
    'is overloaded',
    'breaks off',
    'answers half',
    'answers garbage',
  ]

  it.each(faults)('is external while the store %s, and whole again afterwards', async (fault) => {
    await way.breakNow(fault)
    expect([await list(), await nodeAt(), await storage.reachable()]).toEqual([external, external, external])
    await way.repair()
    expect(lengthOf(await list())).toBe(files)
  })

  const withinListing = faults.filter((fault) => fault !== 'refuses')

  it.each(withinListing)('is external where the store %s at the second page', async (fault) => {
    await way.breakNow(fault, { only: ({ target }) => target.includes('continuation-token') })
    expect(await list()).toEqual(external)
  })

  it.each<Fault>(['hangs up', 'fails', 'is overloaded', 'hangs', 'stalls'])(
    'retries where the store %s once',
    async (fault) => {
      await way.breakNow(fault, { times: 1 })
      expect(lengthOf(await list())).toBe(files)
      await way.breakNow(fault, { times: 1 })
      expect(E.isRight(await nodeAt())).toBe(true)
    },
  )

  it('is external while the store hangs, within half a minute', { timeout: 40_000 }, async () => {
    await way.breakNow('hangs')
    const began = performance.now()
    expect(await nodeAt()).toEqual(external)
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  it('cancels its request when the client leaves', async () => {
    await way.breakNow('hangs')
    const began = performance.now()
    expect(E.isLeft(await list(AbortSignal.timeout(100)))).toBe(true)
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  const wrongKey = { AWS_SECRET_ACCESS_KEY: 'a-wrong-key' }
  // Ceph accepts any region.
  const wrongRegions = name === 'Swift' ? ['us-west-7'] : []

  it.each<[reason: string, hint: string, variables: () => object, url?: object]>([
    ['there is no such bucket', 'Create it, or check CANOPY_STORAGE', () => ({}), { bucket: 'no-such-bucket' }],
    ['the store does not recognize these credentials', 'Check AWS_ACCESS_KEY_ID', () => wrongKey],
    ['these credentials lack a required permission', 'Allow s3:ListBucket', () => store.unprivileged],
    ...wrongRegions.map((region): [string, string, () => object, object] => [
      'the bucket is in another region',
      'Check "region" in CANOPY_STORAGE',
      () => ({}),
      { region },
    ]),
  ])('a misconfiguration has a reason and a hint: %s', async (reason, hint, variables, url) => {
    Object.assign(process.env, variables())
    const other = await openAt(store.endpoint, url)
    const reached = await other.reachable()
    other.close()
    Object.assign(process.env, store.variables)
    const message = expect.stringMatching(new RegExp(`^s3://.*: ${reason} \\(.+\\)\\. ${hint}[^\\n]*$`))
    expect(reached).toEqual(E.left(expect.objectContaining({ cause: expect.objectContaining({ message }) })))
    expect(inspect(reached, { depth: null, showHidden: true })).not.toContain('a-wrong-key')
  })
})
