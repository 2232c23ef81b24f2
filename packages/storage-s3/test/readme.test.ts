import { startListingStore } from '@canopy/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { namesIn } from './readme.js'

it('the example of the README lists the names of an area', async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  const store = await startListingStore(['alice/photos/beach.jpg', 'alice/Diary'])
  onTestFinished(store.stop)
  expect(await namesIn(`s3://bucket?endpoint=${store.endpoint}&pathStyle=true`)).toEqual(['Diary', 'photos'])
  await expect(namesIn('s3://b')).rejects.toThrow('must have a bucket name of 3 to 63 letters')
})
