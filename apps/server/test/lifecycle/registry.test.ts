import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RegistryUrl } from '@canopy/registry/admin'
import { forwarder, worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../packages/registry/src/admin/migrations.js'
import { rawDatabase } from '../../../../packages/registry/test/rawDatabase.js'
import { plantData } from '../plantData.js'
import { registries } from '../registries.js'
import { ended, startServer, temporaryData } from '../startServer.js'

const patient = { timeout: 30_000 }

const rawAt = (text: string) => {
  const url = RegistryUrl.fromString('/', text)
  return E.isRight(url) ? rawDatabase(url.right) : expect.fail(url.left)
}

describe.each(registries)('servers and a registry of another version, $name', { timeout: 120_000 }, ({ start }) => {
  it('an old server goes on beside what a newer one added, and says that it does not beside what that changed', async () => {
    const { newUrl, stop } = await start()
    const data = await temporaryData()
    const url = await newUrl(data)
    await plantData(data, worldWith([]), url)
    const variables = { CANOPY_DATA: data, CANOPY_REGISTRY: url, CANOPY_WORKERS: '2' }
    const old = await startServer(variables)
    const said = (message: string) => old.lines.filter(({ msg }) => msg === message)
    const statusOf = async (target: string) => (await request(old.port, { method: 'GET', target })).status
    const listing = '/api/usercontent/v1/diritems/id/1'
    await expect.poll(() => said('ready').length, patient).toBe(2)
    expect([await statusOf(listing), await statusOf('/readyz')]).toEqual([200, 200])

    // The made-up next release, which is migrated while the old servers run.
    const raw = await rawAt(url)
    const migrate = (name: string) =>
      raw.insertInto('canopy_migration').values({ name, timestamp: new Date().toISOString() }).execute()
    await raw.schema.alterTable('accounts').addColumn('colour', 'text').execute()
    await migrate('0007_colours_additive')
    process.kill(Number(said('ready')[0]?.['pid']), 'SIGKILL')
    await expect.poll(() => said('ready').length, patient).toBe(3)
    for (let times = 0; times < 20; times += 1) expect(await statusOf(listing)).toBe(200)
    await expect.poll(() => statusOf('/readyz'), patient).toBe(200)

    await raw.schema.alterTable('tokens').addColumn('suspended', 'integer').execute()
    await migrate('0008_suspended_tokens')
    for (let times = 0; times < 20; times += 1) expect(await statusOf(listing)).toBe(502)
    await expect.poll(() => statusOf('/readyz'), patient).toBe(503)
    const what =
      /the registry was made or migrated by a newer Canopy\. Use the server and .* of that version, or of a later one/
    await expect
      .poll(() => said('not ready')[0], patient)
      .toMatchObject({
        part: 'registry',
        cause: expect.stringMatching(what),
      })
    // The fourth worker says the same: with SQLite it does not start, with PostgreSQL it is not ready.
    process.kill(Number(said('ready')[1]?.['pid']), 'SIGKILL')
    const ofFourth = () =>
      [...said('a worker did not start'), ...said('not ready').filter(({ worker }) => worker === 4)].map(
        ({ by, cause }) => by ?? cause,
      )
    await expect.poll(() => ofFourth()[0], patient).toMatch(/newer Canopy\. Use the server/)
    await raw.destroy()
    await old.end()
    await rm(data, { recursive: true })
    await stop()
  })

  it('a new server does not start before the registry is migrated, and says how', async () => {
    const { newUrl, stop } = await start()
    const data = await temporaryData()
    await mkdir(join(data, 'areas'))
    const url = await newUrl(data)
    const raw = await rawAt(url)
    await migrateTo(raw, url.startsWith('sqlite') ? 'SQLite' : 'PostgreSQL', '0005_settings_versions')
    await raw.destroy()
    for (const words of [[], ['--check']])
      expect(await ended({ CANOPY_DATA: data, CANOPY_REGISTRY: url, CANOPY_PORT: '0' }, ...words)).toEqual({
        code: 1,
        text: expect.stringMatching(/older Canopy: `canopy registry migrate` of this version/),
      })
    await rm(data, { recursive: true })
    await stop()
  })
})

const remote = registries.filter(({ name }) => name === 'PostgreSQL')

describe.each(remote)('a server of two workers while $name is down', { timeout: 120_000 }, ({ start }) => {
  it('replaces a worker that is killed by one that is ready when the registry is', async () => {
    const { newUrl, stop } = await start()
    const data = await temporaryData()
    await mkdir(join(data, 'areas'))
    const direct = await newUrl(data)
    await plantData(data, { accounts: [], triggers: [] }, direct)
    const way = await forwarder(new URL(direct))
    const server = await startServer({
      CANOPY_DATA: data,
      CANOPY_REGISTRY: way.connectionString,
      CANOPY_WORKERS: '2',
    })
    const said = (text: string) => server.lines.filter(({ msg }) => msg === text)
    const statusOf = async (target: string) => (await request(server.port, { method: 'GET', target })).status
    const peek = '/api/triggers/v1/peek/bell'
    await expect.poll(() => said('ready').length, patient).toBe(2)
    expect(await statusOf(peek)).toBe(404)

    way.cut()
    for (const [index, { pid }] of said('ready').entries()) {
      process.kill(Number(pid), 'SIGKILL')
      await expect.poll(() => said('ready').length, patient).toBe(3 + index)
    }
    expect(said('a worker did not start')).toEqual([])
    expect(said('not ready')[0]).toMatchObject({ part: 'registry', cause: expect.stringContaining('does not answer') })
    expect([await statusOf('/readyz'), await statusOf(peek)]).toEqual([503, 502])

    way.revive()
    await expect.poll(() => statusOf('/readyz'), patient).toBe(200)
    for (let time = 0; time < 10; time += 1) expect(await statusOf(peek)).toBe(404)
    expect(await server.end()).toBe(0)
    await way.close()
    await stop()
    await rm(data, { recursive: true })
  })
})
