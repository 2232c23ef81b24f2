import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RegistryUrl } from '@canopy/registry/admin'
import { forwarder, worldWith } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawDatabase } from '../../../../packages/registry/test/engines.js'
import { registries } from '../registries.js'
import { dataOf, type Server, seedData, startServer } from '../startServer.js'

const patient = { timeout: 30_000 }
const listing = '/api/usercontent/v1/diritems/id/1'
const peek = '/api/triggers/v1/peek/bell'

const kill = ({ said }: Server, nth: number) => process.kill(Number(said('ready')[nth]?.['pid']), 'SIGKILL')

describe.each(registries)('servers of two workers over $name', { timeout: 120_000 }, ({ name, start }) => {
  const over = dataOf((data) => mkdir(join(data, 'areas')))
  let engine: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(() => engine.stop())
  const started = (url: string) => startServer({ CANOPY_DATA: over.data, CANOPY_REGISTRY: url, CANOPY_WORKERS: '2' })

  it('work with the additions of a newer version, and are not ready after its changes', async () => {
    const url = await engine.newDatabase(over.data)
    await seedData(over.data, worldWith(), url)
    const old = await started(url)
    await old.until('ready', 2)
    expect([await old.status(listing), await old.status('/readyz')]).toEqual([200, 200])

    // The made-up next release, which is migrated while the old servers run.
    const raw = await pipe(RegistryUrl.fromString('/', url), E.match(expect.fail, rawDatabase))
    const migrate = (migration: string) =>
      raw.insertInto('canopy_migration').values({ name: migration, timestamp: new Date().toISOString() }).execute()
    await raw.schema.alterTable('accounts').addColumn('colour', 'text').execute()
    await migrate('0007_colours_additive')
    kill(old, 0)
    await old.until('ready', 3)
    for (let times = 0; times < 20; times += 1) expect(await old.status(listing)).toBe(200)
    await expect.poll(() => old.status('/readyz'), patient).toBe(200)

    await raw.schema.alterTable('tokens').addColumn('suspended', 'integer').execute()
    await migrate('0008_suspended_tokens')
    for (let times = 0; times < 20; times += 1) expect(await old.status(listing)).toBe(502)
    await expect.poll(() => old.status('/readyz'), patient).toBe(503)
    const what =
      /the registry was created or migrated by a newer version of Canopy\. Use the server and .* from that version or a later one/
    await old.until('not ready')
    expect(old.said('not ready')[0]).toMatchObject({ part: 'registry', cause: expect.stringMatching(what) })
    // The fourth worker says the same: with SQLite it does not start, with PostgreSQL it is not ready.
    kill(old, 1)
    const ofFourth = () =>
      [...old.said('worker did not start'), ...old.said('not ready').filter(({ worker }) => worker === 4)].map(
        ({ reason, cause }) => reason ?? cause,
      )
    await expect.poll(() => ofFourth()[0], patient).toMatch(/newer version of Canopy\. Use the server/)
    await raw.destroy()
    await old.end()
  })

  if (name === 'SQLite') return

  it('replace a killed worker while the registry is away', async () => {
    const direct = await engine.newDatabase(over.data)
    await seedData(over.data, { accounts: [], triggers: [] }, direct)
    const way = await forwarder(new URL(direct))
    const server = await started(way.connectionString)
    await server.until('ready', 2)
    expect(await server.status(peek)).toBe(404)

    way.cut()
    for (const nth of [0, 1]) {
      kill(server, nth)
      await server.until('ready', 3 + nth)
    }
    expect(server.said('worker did not start')).toEqual([])
    const line = { part: 'registry', cause: expect.stringContaining('cannot open postgres') }
    expect(server.said('not ready')).toContainEqual(expect.objectContaining(line))
    expect([await server.status('/readyz'), await server.status(peek)]).toEqual([503, 502])

    way.revive()
    await expect.poll(() => server.status('/readyz'), patient).toBe(200)
    for (let time = 0; time < 10; time += 1) expect(await server.status(peek)).toBe(404)
    expect(await server.end()).toBe(0)
    await way.close()
  })
})
