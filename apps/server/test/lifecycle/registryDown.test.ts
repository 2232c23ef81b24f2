import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { forwarder } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { registries } from '../registries.js'
import { startServer, temporaryData } from '../startServer.js'

const long = { timeout: 30_000 }

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
    await expect.poll(() => said('ready').length, long).toBe(2)
    expect(await statusOf(peek)).toBe(404)

    way.cut()
    for (const [index, { pid }] of said('ready').entries()) {
      process.kill(Number(pid), 'SIGKILL')
      await expect.poll(() => said('ready').length, long).toBe(3 + index)
    }
    expect(said('a worker did not start')).toEqual([])
    expect(said('not ready')[0]).toMatchObject({ part: 'registry', cause: expect.stringContaining('does not answer') })
    expect([await statusOf('/readyz'), await statusOf(peek)]).toEqual([503, 502])

    way.revive()
    await expect.poll(() => statusOf('/readyz'), long).toBe(200)
    for (let time = 0; time < 10; time += 1) expect(await statusOf(peek)).toBe(404)
    expect(await server.end()).toBe(0)
    await way.close()
    await stop()
    await rm(data, { recursive: true })
  })
})
