import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { RegistryUrl } from '@canopy/registry/admin'
import { worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../packages/registry/src/admin/migrations.js'
import { rawDatabase } from '../../../../packages/registry/test/rawDatabase.js'
import { plantData } from '../plantData.js'
import { registries } from '../registries.js'
import { spawnServer, startServer, temporaryData } from '../startServer.js'

const patient = { timeout: 20_000 }

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
    for (const args of [[], ['--check']]) {
      const child = spawnServer({ CANOPY_DATA: data, CANOPY_REGISTRY: url, CANOPY_PORT: '0' }, { args })
      const [said, [code]] = await Promise.all([text(child.stderr ?? process.stdin), once(child, 'exit')])
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(/older Canopy: `canopy registry migrate` of this version/),
      ])
    }
    await rm(data, { recursive: true })
    await stop()
  })
})
