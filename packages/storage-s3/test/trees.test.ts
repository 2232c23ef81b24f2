import { Area, listPages, StoragePath, Tree, type UserId } from '@canopy/domain'
import { type BrokenStore, type ObjectStore, seedObjects, startBrokenStore, storesToTest } from '@canopy/test-support'
import type { WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type S3Storage, s3Storage } from '../src/s3Storage.js'
import { treeOf } from './treeOf.js'

const file = (name: string): WorldNode => ({ type: 'file', name, size: 1n, last_modified: 0n })
const nodes: ReadonlyArray<WorldNode> = Array.from({ length: 150 }, (_, index) => ({
  type: 'dir',
  name: `d${String(index).padStart(3, '0')}`,
  last_modified: 0n,
  content: Array.from({ length: 10 }, (_, at) => file(`f${at}`)),
}))

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const aFile = '/d007/f1' as StoragePath.StoragePath
const stores = storesToTest(process.env, 'A tree in an object store')

describe.each(stores)('a tree in an object store, over $name', ({ start }) => {
  let store: ObjectStore
  let broken: BrokenStore
  let storage: S3Storage

  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
    const bucket = await store.newBucket()
    await seedObjects(store, bucket, '1/', nodes)
    broken = await startBrokenStore(store)
    const { endpoint } = broken
    storage = await s3Storage({ bucket, prefix: '', endpoint, region: store.region, pathStyle: true })
  })
  afterEach(() => broken.repair())
  afterAll(async () => {
    storage.close()
    await broken.stop()
    await store.stop()
  })

  it('leaves directories unexpanded where the store fails in the middle, and is whole otherwise', {
    timeout: 60_000,
  }, async () => {
    const tree = await treeOf(area, storage, '')
    if (E.isLeft(tree)) throw new Error('the tree has failed')
    // The first page and the level of the root have been read.
    await broken.breakNow('fails')
    const collected = await Tree.collect(tree.right)()
    if (E.isLeft(collected) || collected.right.type === 'file') throw new Error('no directory')
    const node = collected.right
    const expanded = node.content?.filter((child) => child.type === 'dir' && child.content !== undefined) ?? []
    expect(node.content?.length).toBe(nodes.length)
    expect(expanded.length).toBeGreaterThan(50)
    expect(expanded.length).toBeLessThan(nodes.length)
    expect(expanded.every((child) => child.type === 'dir' && child.content?.length === 10)).toBe(true)
  })

  it('is whole where keys and common prefixes alternate over several pages', { timeout: 60_000 }, async () => {
    const signs = ['-', '.', '0', ' ', '+', '%', '!', '~', '&<', 'é', '\uffee', '\u{1f600}']
    const mixed = Array.from({ length: 1_200 }, (_, index): WorldNode => {
      const name = `${signs[index % signs.length]}${index}`
      const content = index % 4 === 0 ? [] : [file('x'), file('y')]
      return index % 3 === 0 ? file(name) : { type: 'dir', name, last_modified: 0n, content }
    })
    const bucket = await store.newBucket()
    await seedObjects(store, bucket, '1/', mixed)
    const { endpoint, region } = store
    const other = await s3Storage({ bucket, prefix: '', endpoint, region, pathStyle: true })
    const listed = await listPages(area, StoragePath.root)(other)()
    const tree = await treeOf(area, other, '')
    const collected = E.isRight(tree) ? await Tree.collect(tree.right)() : tree
    const node = E.isRight(collected) ? collected.right : undefined
    other.close()
    expect(E.isRight(listed) && listed.right.flatMap(({ entries }) => [...entries]).length).toBe(1_200)
    const children = node?.type === 'dir' ? (node.content ?? []) : []
    expect(children.length).toBe(1_200)
    expect(children.filter((child) => child.type === 'dir' && child.content === undefined)).toEqual([])
  })

  it('takes two requests for a file, and at most five for a tree of 1,500 objects in 150 directories', async () => {
    // The first one also asks whether the store ignores case.
    await storage.nodeAt(area, aFile)()
    broken.clear()
    await storage.nodeAt(area, aFile)()
    expect(broken.asked.length).toBe(2)
    broken.clear()
    const tree = await treeOf(area, storage, '')
    expect(E.isRight(tree) && (await Tree.collect(tree.right)())).toMatchObject(E.right({ type: 'dir' }))
    expect(broken.asked.length).toBeLessThanOrEqual(5)
  })
})
