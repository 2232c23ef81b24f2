import { rm } from 'node:fs/promises'
import { freePort, type ObjectStore, startBrokenStore, storesToTest } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canopyWith } from './canopy.js'
import { plantData } from './plantData.js'
import { ended, type Server, startServer, temporaryData } from './startServer.js'

type Variables = Readonly<Record<string, string>>

const urlOf = (bucket: string, endpoint: string) =>
  `s3://${bucket}/base?endpoint=${endpoint}&region=us-east-1&pathStyle=true`

const linesOf = async (variables: Variables, ...args: ReadonlyArray<string>) => {
  const { code, text } = await ended(variables, ...args)
  return { code, lines: text.trimEnd().split('\n') }
}

let data = ''
beforeEach(async () => {
  data = await temporaryData()
})
afterEach(() => rm(data, { recursive: true }))

// What else may be set wrongly: the tests of the storage.
it.each([
  [
    'credentials to a store that does not answer',
    { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    /^ {2}the storage cannot be read: s3:.*nothing answers there: correct "endpoint" in CANOPY_STORAGE.*ECONNREFUSED/,
  ],
  ['no credentials', { AWS_EC2_METADATA_DISABLED: 'true' }, /set AWS_ACCESS_KEY_ID/],
])(
  'a server with %s does not start, and says in one line what to do; so does --check',
  async (_, credentials, problem) => {
    await plantData(data, { accounts: [], triggers: [] })
    const storage = urlOf('bucket', `http://127.0.0.1:${await freePort()}`)
    const variables = { CANOPY_DATA: data, CANOPY_STORAGE: storage, ...credentials }
    const said = expect.stringMatching(problem)
    expect(await linesOf(variables)).toEqual({ code: 1, lines: ['canopy: the server did not start', said] })
    expect(await linesOf(variables, '--check')).toEqual({
      code: 1,
      lines: ['canopy: the server could not start', said],
    })
  },
)

const getFrom =
  ({ port }: Server) =>
  async (target: string) => {
    const { status, body } = await request(port, { method: 'GET', target })
    return [status, JSON.parse(String(body))]
  }

const stores = storesToTest(process.env, 'A server over an object store')

describe.each(stores)('a server over $name', ({ start }) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = await start()
    Object.assign(process.env, store.variables)
  })
  afterAll(() => store.stop())

  const variablesFor = (bucket: string, endpoint = store.endpoint): Variables => ({
    CANOPY_DATA: data,
    CANOPY_STORAGE: urlOf(bucket, endpoint),
    ...store.variables,
  })

  it('serves the demo, is ready, and stops', async () => {
    const variables = variablesFor(await store.newBucket())
    const { token } = await canopyWith(variables, 'demo')
    expect(await linesOf(variables, '--check')).toEqual({ code: 0, lines: ['canopy: the server can start'] })
    const server = await startServer(variables)
    const get = getFrom(server)
    expect((await get('/readyz'))[0]).toBe(200)
    expect(await get(`/api/storage/v1/diritems/${token}`)).toMatchObject([
      200,
      {
        content: [
          { name: 'diary', is_file: false, size: 0, last_modified: 0, visibility: { visibility: 'private' } },
          { name: 'photos', is_file: false, visibility: { inherited: true, visibility: 'public' } },
          { name: 'welcome.txt', is_file: true },
        ],
      },
    ])
    const photos = { content: { name: 'photos', content: [{ name: 'beach.txt' }] } }
    expect(await get('/api/usercontent/v1/tree/id/1/photos')).toMatchObject([200, photos])
    expect((await get('/api/usercontent/v1/tree/id/1/diary'))[0]).toBe(403)
    expect(await server.end()).toBe(0)
  })

  it('says that it is not ready while the store does not answer, and recovers', async () => {
    const way = await startBrokenStore(store)
    const variables = variablesFor(await store.newBucket(), way.endpoint)
    await canopyWith(variables, 'demo')
    const server = await startServer(variables)
    const get = getFrom(server)
    const visitorsRoot = '/api/usercontent/v1/diritems/id/1'
    expect((await get(visitorsRoot))[0]).toBe(200)
    await way.breakNow('refuses')
    expect(await get(visitorsRoot)).toEqual([502, { type: 'error', error: 'external' }])
    await expect.poll(() => get('/readyz')).toEqual([503, { type: 'ready', status: 'failed', failed: ['storage'] }])
    await way.repair()
    expect((await get(visitorsRoot))[0]).toBe(200)
    await expect.poll(async () => (await get('/readyz'))[0]).toBe(200)
    expect(await server.end()).toBe(0)
    const causes = server.lines.filter(({ msg }) => msg === 'not ready').map(({ part, cause }) => [part, cause])
    expect(causes[0]).toEqual(['storage', expect.stringContaining('nothing answers there: correct "endpoint"')])
    await way.stop()
  })

  it('of two workers answers, counts, and replaces a worker that is killed while the store does not answer', async () => {
    const long = { timeout: 30_000 }
    const way = await startBrokenStore(store)
    const variables = {
      ...variablesFor(await store.newBucket(), way.endpoint),
      CANOPY_WORKERS: '2',
      CANOPY_METRICS_PORT: '0',
    }
    const { token } = await canopyWith(variables, 'demo')
    const server = await startServer(variables)
    const said = (text: string) => server.lines.filter(({ msg }) => msg === text)
    const statusOf = async (target: string) => (await getFrom(server)(target))[0]
    const listing = `/api/storage/v1/diritems/${token}`
    await expect.poll(() => said('ready').length, long).toBe(2)
    for (let time = 0; time < 10; time += 1) expect(await statusOf(listing)).toBe(200)
    const metrics = await request(Number(new URL(String(said('metrics')[0]?.['url'])).port), {
      method: 'GET',
      target: '/metrics',
    })
    const counts = String(metrics.body).matchAll(
      /^canopy_requests_total{operation="storageDirItems",status="200".*} (\d+)$/gm,
    )
    expect([...counts].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(10)

    await way.breakNow('refuses')
    for (const [index, { pid }] of said('ready').entries()) {
      process.kill(Number(pid), 'SIGKILL')
      await expect.poll(() => said('ready').length, long).toBe(3 + index)
    }
    expect(said('a worker did not start')).toEqual([])
    expect(said('not ready')[0]).toMatchObject({
      part: 'storage',
      cause: expect.stringContaining('nothing answers there'),
    })
    expect([await statusOf('/readyz'), await statusOf(listing)]).toEqual([503, 502])
    server.process.kill('SIGHUP')
    await expect.poll(() => said('reload abandoned: a new worker did not start, the others go on').length, long).toBe(1)
    expect(await linesOf({ ...variables, CANOPY_METRICS_PORT: '' })).toMatchObject({ code: 1, lines: { length: 2 } })

    await way.repair()
    await expect.poll(() => statusOf('/readyz'), long).toBe(200)
    for (let time = 0; time < 10; time += 1) expect(await statusOf(listing)).toBe(200)
    expect(await server.end()).toBe(0)
    await way.stop()
  }, 120_000)
})
