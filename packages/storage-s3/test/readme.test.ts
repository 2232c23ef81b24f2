import { Area } from '@canopy/domain'
import { type ObjectStore, storesToTest } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Areas } from '../src/admin/index.js'
import * as S3Url from '../src/S3Url.js'
import { namesIn } from './readme.js'

const stores = storesToTest(process.env, "The example of storage-s3's README")

describe.each(stores)('the example of the README, over $name', ({ start }) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
  })
  afterAll(() => store.stop())

  it('lists the names of an area', async () => {
    const storage = `s3://${await store.newBucket()}?endpoint=${store.endpoint}&pathStyle=true`
    const areas = await s3Areas(E.getOrElseW((problem: string): never => expect.fail(problem))(S3Url.fromText(storage)))
    const alice = Area.location('alice')
    await areas.createArea(alice)()
    for (const path of ['/photos/beach.jpg', '/Diary']) await areas.put(alice, path, 'text')()
    areas.close()
    expect(await namesIn(storage)).toEqual(['Diary', 'photos'])
    await expect(namesIn('s3://b')).rejects.toThrow('must have a bucket name of 3 to 63 letters')
  })
})
