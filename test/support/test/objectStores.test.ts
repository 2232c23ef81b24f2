import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from '@aws-sdk/client-s3'
import { Area, type Entry, Listing, StoragePath, U64, type UserId } from '@canopy/domain'
import type { WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asSeeded } from '../src/asSeeded.js'
import { type BrokenStore, type Fault, startBrokenStore } from '../src/brokenStore.js'
import { findCeph } from '../src/ceph.js'
import type { ObjectStore } from '../src/objectStore.js'
import { type SeededObjects, seedObjects } from '../src/seedObjects.js'
import { storesToTest } from '../src/storesToTest.js'
import { findSwift } from '../src/swift.js'

const file = (name: string, size = 5n): WorldNode => ({ type: 'file', name, size, last_modified: 3n })
const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldNode => ({
  type: 'dir',
  name,
  last_modified: 4n,
  content,
})

const clientAt = ({ region, credentials }: ObjectStore, endpoint: string, maxAttempts = 1): S3Client =>
  new S3Client({ endpoint, region, credentials, maxAttempts, forcePathStyle: true })

const keysIn = ({ Contents = [] }: ListObjectsV2CommandOutput) => Contents.map(({ Key, Size }) => [Key, Size])

/** Processes of this machine whose command line or environment names a directory. */
const processesOf = (home: string): ReadonlyArray<string> =>
  readdirSync('/proc').filter((id) => {
    try {
      return ['cmdline', 'environ'].some((file) => readFileSync(join('/proc', id, file)).includes(home))
    } catch {
      return false
    }
  })

describe.each([
  ['Ceph', findCeph, 'radosgw'],
  ['Swift', findSwift, 'swift-proxy'],
] as const)('%s, where it is not installed', (_, find, what) => {
  it('says what to install', () => {
    expect(find({ PATH: '/nowhere' })).toEqual(E.left(expect.stringContaining(what)))
  })
})

const stores = storesToTest(process.env, 'The support for tests of object stores')

describe.each(stores)('$name of a test', ({ start }) => {
  let store: ObjectStore
  let way: BrokenStore
  let bucket = ''
  beforeAll(async () => {
    store = await start()
    way = await startBrokenStore(store)
    bucket = await store.newBucket()
    await seedObjects(store, bucket, 'seeded/', [file('f', 1_002n), dir('empty'), dir('full', file('a'), dir('none'))])
  })
  afterAll(async () => {
    await way.stop()
    await store.stop()
  })

  const list = (endpoint: string, maxAttempts = 1) =>
    clientAt(store, endpoint, maxAttempts).send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'seeded/' }))

  const held = [
    ['seeded/empty/', 0],
    ['seeded/f', 2],
    ['seeded/full/a', 5],
    ['seeded/full/none/', 0],
  ]

  it('holds nodes as objects: a directory has a marker where it is empty', async () => {
    expect(keysIn(await list(store.endpoint))).toEqual(held)
  })

  it('holds nothing for a missing area, and a marker for an empty one', async () => {
    await seedObjects(store, bucket, 'missing/', 'missing')
    await seedObjects(store, bucket, 'nothing/', [])
    const client = clientAt(store, store.endpoint)
    const of = (Prefix: string) => client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }))
    expect(keysIn(await of('missing/'))).toEqual([])
    expect(keysIn(await of('nothing/'))).toEqual([['nothing/', 0]])
  })

  it('refuses a wrong secret', async () => {
    const client = new S3Client({
      endpoint: store.endpoint,
      region: store.region,
      credentials: { ...store.credentials, secretAccessKey: 'wrong' },
      forcePathStyle: true,
    })
    await expect(client.send(new ListObjectsV2Command({ Bucket: bucket }))).rejects.toThrow(
      expect.objectContaining({ name: 'SignatureDoesNotMatch' }),
    )
  })

  describe('behind a way that breaks', () => {
    it('passes everything on while it is not broken, and counts', async () => {
      way.clear()
      const client = clientAt(store, way.endpoint)
      const object = { Bucket: bucket, Key: 'seeded/f' }
      expect((await client.send(new HeadObjectCommand(object))).ContentLength).toBe(2)
      expect((await (await client.send(new GetObjectCommand(object))).Body?.transformToByteArray())?.length).toBe(2)
      expect(keysIn(await list(way.endpoint))).toEqual(held)
      expect(way.asked.map(({ method, isListing }) => [method, isListing])).toEqual([
        ['HEAD', false],
        ['GET', false],
        ['GET', true],
      ])
    })

    it.each<[Fault, object]>([
      ['refuses', { code: 'ECONNREFUSED' }],
      ['hangs up', { code: 'ECONNRESET' }],
      ['fails', { name: 'InternalError', $metadata: expect.objectContaining({ httpStatusCode: 500 }) }],
      ['is overloaded', { name: 'SlowDown', $metadata: expect.objectContaining({ httpStatusCode: 503 }) }],
      ['breaks off', { message: 'aborted' }],
      ['answers half', { message: expect.any(String) }],
    ])('%s', async (fault, error) => {
      await way.breakNow(fault)
      await expect(list(way.endpoint)).rejects.toMatchObject(error)
      await way.repair()
      expect(keysIn(await list(way.endpoint))).toEqual(held)
    })

    it('hangs, until the client goes away', async () => {
      await way.breakNow('hangs')
      const client = clientAt(store, way.endpoint)
      const abortSignal = AbortSignal.timeout(200)
      await expect(client.send(new ListObjectsV2Command({ Bucket: bucket }), { abortSignal })).rejects.toThrow(/abort/i)
      await way.repair()
    })

    it('is slow', async () => {
      await way.breakNow({ afterMs: 300 })
      const began = performance.now()
      expect(keysIn(await list(way.endpoint))).toEqual(held)
      expect(performance.now() - began).toBeGreaterThan(290)
      await way.repair()
    })

    it('answers garbage', async () => {
      await way.breakNow('answers garbage')
      const response = await fetch(way.endpoint)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('It works!')])
      await way.repair()
    })

    it('breaks so often, and only what it is told to', async () => {
      await way.breakNow('is overloaded', { times: 2, only: ({ isListing }) => isListing })
      way.clear()
      await clientAt(store, way.endpoint).send(new HeadObjectCommand({ Bucket: bucket, Key: 'seeded/f' }))
      expect(keysIn(await list(way.endpoint, 3))).toEqual(held)
      expect(way.asked.length).toBe(4)
      await way.repair()
    })
  })

  it('leaves nothing behind when it is stopped', async () => {
    expect(processesOf(store.home)).not.toEqual([])
    await store.stop()
    expect(processesOf(store.home)).toEqual([])
    expect(existsSync(store.home)).toBe(false)
  })
})

describe('answers as seeded', () => {
  const seeded: SeededObjects = { nodes: [file('f', 7_002n), dir('d')], from: 100n, to: 110n }
  const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
  const at = (path: string) => path as StoragePath.StoragePath
  const u64 = U64.clamp
  const told = (node: Entry.Node) =>
    asSeeded(new Map([['1', seeded]]), { nodeAt: () => TE.right(node), list: () => TE.right(Listing.treeBegins) })

  it.each<[string, Entry.Node, Entry.Node]>([
    [
      '/f',
      { type: 'file', size: u64(2n), last_modified: u64(105n) },
      { type: 'file', size: u64(7_002n), last_modified: u64(3n) },
    ],
    ['/d', { type: 'dir', last_modified: u64(0n) }, { type: 'dir', last_modified: u64(4n) }],
  ])('have the size and the time of the world: %s', async (path, stored, answer) => {
    expect(await told(stored).nodeAt(area, at(path))()).toEqual(E.right(answer))
  })

  it.each<[string, string, Entry.Node]>([
    ['another size', '/f', { type: 'file', size: u64(3n), last_modified: u64(105n) }],
    ['a time before', '/f', { type: 'file', size: u64(2n), last_modified: u64(99n) }],
    ['a time after', '/f', { type: 'file', size: u64(2n), last_modified: u64(112n) }],
    ['another type', '/f', { type: 'dir', last_modified: u64(0n) }],
    ['a directory with a time', '/d', { type: 'dir', last_modified: u64(1n) }],
    ['what was not seeded', '/x', { type: 'file', size: u64(2n), last_modified: u64(105n) }],
  ])('stay wrong where the store tells wrongly: %s', async (_, path, wrong) => {
    expect(await told(wrong).nodeAt(area, at(path))()).toEqual(E.right(wrong))
  })

  it('hand the adapter its own listing as the parent, and pass on who waits', async () => {
    const own: Listing.Listing = { entries: [], unlistable: 0 }
    const asked: Array<unknown> = []
    const { list } = asSeeded(new Map(), {
      nodeAt: () => TE.right({ type: 'dir', last_modified: U64.zero }),
      list: (_, __, parent, waiting) => {
        asked.push(parent, waiting)
        return TE.right(own)
      },
    })
    const { signal } = new AbortController()
    const root = await list(area, StoragePath.root, Listing.treeBegins)()
    if (E.isRight(root)) await list(area, at('/d'), root.right, signal)()
    expect(asked[0]).toBe(Listing.treeBegins)
    expect(asked[2]).toBe(own)
    expect(asked[3]).toBe(signal)
  })
})
