import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { StoragePath } from '@canopy/domain'
import { clientOf, type ObjectStore, removeObject, seedObjects, storesToTest } from '@canopy/test-support'
import { fileLaws, type SeededFiles, type SeedFiles, textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { S3Url } from '../src/S3Url.js'
import { s3Storage } from '../src/s3Storage.js'
import { area } from './asClient.js'

const at = StoragePath.unsafe

const stores = storesToTest(process.env, 'Files in an object store')

describe.each(stores)('files of an object store, over $name', ({ start }) => {
  let store: ObjectStore
  let bucket: string
  let seedings = 0
  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
    bucket = await store.newBucket()
  })
  afterAll(() => store?.stop())

  const urlOf = (prefix: string): S3Url => {
    const { endpoint, region } = store
    return { bucket, prefix, endpoint, region, pathStyle: true }
  }
  const send = async <A>(use: (client: S3Client) => Promise<A>): Promise<A> => {
    const client = await clientOf(store)
    return use(client).finally(() => client.destroy())
  }
  const put = (Key: string, Body: string) =>
    send(async (client) => void (await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))))
  const get = (Key: string) =>
    send(async (client) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
      return (await Body?.transformToString()) ?? ''
    })

  /** An object changes only as a whole. */
  const seedFiles: SeedFiles = async (nodes) => {
    seedings += 1
    const prefix = `files/${seedings}/`
    const keyOf = (path: string) => `${prefix}1${path}`
    await seedObjects(store, bucket, `${prefix}1/`, nodes)
    const storage = await s3Storage(urlOf(prefix))
    return {
      ports: storage,
      area,
      close: async () => storage.close(),
      replace: (path, text) => put(keyOf(path), text),
      remove: (path) => removeObject(store, bucket, keyOf(path)),
      truncate: async (path, size) => put(keyOf(path), (await get(keyOf(path))).slice(0, size)),
      append: async (path, text) => put(keyOf(path), (await get(keyOf(path))) + text),
    }
  }

  it.each(fileLaws)('$name', { timeout: 60_000 }, async ({ violations }) => {
    expect(await violations(seedFiles)).toEqual([])
  })

  it.each<[string, (files: SeededFiles) => Promise<unknown>]>([
    ['replaced', ({ replace }) => replace('/f', 'two')],
    ['removed', ({ remove }) => remove('/f')],
  ])('an object %s after it was opened is external with that reason', async (change, make) => {
    const files = await seedFiles([textFile('f', 'one')])
    const opened = await files.ports.openFile(area, at('/f'))()
    if (E.isLeft(opened)) throw new Error(opened.left.error)
    await make(files)
    const reading = opened.right.bytes(0n, 3n)[Symbol.asyncIterator]().next()
    await expect(reading).rejects.toThrow(`the object was ${change} while it was being read`)
    await files.close()
  })

  it('an opened object leaves no listener on the signal of its request', async () => {
    const { ports, close } = await seedFiles([textFile('f', 'one')])
    const listeners = new Set<() => void>()
    const addEventListener = (_: 'abort', listener: () => void) => void listeners.add(listener)
    const removeEventListener = (_: 'abort', listener: () => void) => void listeners.delete(listener)
    const signal = { aborted: false, addEventListener, removeEventListener }
    expect([E.isRight(await ports.openFile(area, at('/f'), { signal })()), listeners.size]).toEqual([true, 0])
    await close()
  })

  it('filesReadable names s3:GetObject if the credentials lack it', async () => {
    const allowed = await s3Storage(urlOf('files/'))
    expect(await allowed.filesReadable()).toEqual(E.right(undefined))
    allowed.close()
    Object.assign(process.env, store.unprivileged)
    const denied = await s3Storage(urlOf('files/'))
    const message = expect.stringMatching(/these credentials are not allowed to read objects .*Allow s3:GetObject/)
    expect(await denied.filesReadable()).toEqual(
      E.left({ error: 'external', cause: expect.objectContaining({ message }) }),
    )
    denied.close()
    Object.assign(process.env, store.variables)
  })
})
