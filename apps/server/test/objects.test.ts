import {
  freePort,
  type ListingMode,
  startBrokenStore,
  startListingStore,
  storesToTest,
  temporaryDirectory,
} from '@canopy/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { canopyWith } from './canopy.js'
import { dataOf, ended, type Server, seedData, serverOfTest, type Variables } from './startServer.js'

const urlOf = (bucket: string, endpoint: string) =>
  `s3://${bucket}/base?endpoint=${endpoint}&region=us-east-1&pathStyle=true`

const linesOf = async (variables: Variables, ...args: ReadonlyArray<string>) => {
  const { code, text } = await ended(variables, ...args)
  return { code, lines: text.trimEnd().split('\n') }
}

const seedNothing = (data: string) => seedData(data, { accounts: [], triggers: [] })

const over = dataOf(seedNothing)

const credentials = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }

const away = async (own: Variables) => ({
  CANOPY_STORAGE: urlOf('bucket', `http://127.0.0.1:${await freePort()}`),
  ...own,
})

const listing = async (mode: ListingMode, files = 'off'): Promise<Variables> => {
  const store = await startListingStore(['base/1/a', 'base/1/b', 'other'])
  onTestFinished(store.stop)
  store.mode = mode
  return { CANOPY_STORAGE: urlOf('bucket', store.endpoint), CANOPY_FILES: files, ...credentials }
}

it.each<[string, () => Promise<Variables>, fault: string]>([
  ['is away', () => away(credentials), 'the store cannot be reached .*ECONNREFUSED.* Check "endpoint" in'],
  ['needs credentials', () => away({ AWS_EC2_METADATA_DISABLED: 'true' }), 'Set AWS_ACCESS_KEY_ID'],
  ['mixes its order', () => listing('pages out of order'), 'the store does not list keys in order .* Update the store'],
  ['mixes prefixes', () => listing('outside the prefix'), 'the store lists keys outside the requested .* Update the'],
  [
    'omits keys',
    () => listing('half of each page'),
    'the store returned fewer keys than its KeyCount .* Update the store',
  ],
  ['never ends', () => listing('two tokens forever'), 'the store repeats a continuation token .* Update the store'],
  ['only lists, with files', () => listing('as S3', 'on'), 'these credentials are not allowed to read .* Allow s3:Get'],
])('--check fails with one line of advice over a store that %s', async (_, variables, fault) => {
  const said = expect.stringMatching(`^ {2}cannot read the storage: s3:.*${fault}`)
  const lines = ['canopy: the server cannot start', said]
  expect(await linesOf({ CANOPY_DATA: over.data, ...(await variables()) }, '--check')).toEqual({ code: 1, lines })
})

it('--check passes over a store that only lists, without files', async () => {
  const variables = { CANOPY_DATA: over.data, ...(await listing('as S3')) }
  expect(await linesOf(variables, '--check')).toMatchObject({ code: 0 })
})

const stores = storesToTest(process.env, 'A server over an object store')

const jsonOf = async ({ get }: Server, target: string) => {
  const { status, body } = await get(target)
  return [status, JSON.parse(String(body))]
}

const title = 'a server of two workers is not ready while $name does not answer, and recovers'
it.each(stores)(title, { timeout: 300_000 }, async ({ start }) => {
  const store = await start()
  onTestFinished(store.stop)
  Object.assign(process.env, store.variables)
  const data = temporaryDirectory(onTestFinished)
  await seedNothing(data)
  const way = await startBrokenStore(store)
  const CANOPY_STORAGE = urlOf(await store.newBucket(), way.endpoint)
  const inBucket = { CANOPY_DATA: data, CANOPY_STORAGE, ...store.variables }
  const { token } = await canopyWith(inBucket, 'demo')
  expect(await linesOf(inBucket, '--check')).toEqual({ code: 0, lines: ['canopy: the server can start'] })
  const variables = { ...inBucket, CANOPY_WORKERS: '2' }
  const server = await serverOfTest(variables)
  const listing = `/api/storage/v1/diritems/${token}`
  await server.until('ready', 2)
  for (let time = 0; time < 10; time += 1) expect(await server.status(listing)).toBe(200)
  await way.breakNow('refuses')
  for (const [index, { pid }] of server.said('ready').entries()) {
    process.kill(Number(pid), 'SIGKILL')
    await server.until('ready', 3 + index)
  }
  expect(server.said('worker did not start')).toEqual([])
  expect(await jsonOf(server, listing)).toEqual([502, { type: 'error', error: 'external' }])
  const failed = [503, { type: 'ready', status: 'failed', failed: ['storage'] }]
  await expect.poll(() => jsonOf(server, '/readyz')).toEqual(failed)
  const cause = expect.stringMatching(/the store cannot be reached .*\. Check "endpoint"/)
  await server.until('not ready')
  expect(server.said('not ready')[0]).toMatchObject({ part: 'storage', cause })
  server.process.kill('SIGHUP')
  await server.until('reload failed: a new worker did not start; the old workers keep serving')
  const refused = { code: 1, lines: ['canopy: the server did not start', cause] }
  expect(await linesOf(variables)).toEqual(refused)

  await way.repair()
  await expect.poll(() => server.status('/readyz')).toBe(200)
  for (let time = 0; time < 10; time += 1) expect(await server.status(listing)).toBe(200)
  expect(await server.end()).toBe(0)
  await way.stop()
})
